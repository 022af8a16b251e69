package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.OutOfHeap;
import io.shardsim.scenarios.scenario.KeyPlace;
import io.shardsim.scenarios.studio.Answering;
import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.InitializationException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command, {@code shardsim}: help and version; subcommands do the work. */
@Command(
        name = "shardsim",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = ShardsimCommand.PackagedVersion.class,
        description =
                "Simulates sharded data-parallel training on a cluster: how fast, why, and what would make it faster.")
public final class ShardsimCommand implements Runnable {
    /** Width of help in columns: picocli requires 55, and long lines are hard to read. */
    private static final int HELP_MIN = 55;

    private static final int HELP_MAX = 80;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private ShardsimCommand() {}

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    /** Runs one command and returns its exit status; catches everything. */
    public static int run(String[] arguments, Services services) {
        StandardOutput out = new StandardOutput();
        try {
            CommandLine commandLine = commandLine(services).setOut(out.writer());
            int status = commandLine.execute(known(arguments, commandLine));
            String failure = out.failure();
            if (failure == null) {
                return status;
            }
            System.err.println("shardsim: cannot write to stdout: " + failure);
            return status == ExitStatus.DONE ? ExitStatus.FAILED : status;
        } catch (Throwable failure) {
            Throwable reason = failure instanceof ExceptionInInitializerError ? failure.getCause() : failure;
            if (reason instanceof ClassPathException broken) {
                return refuse(broken, new PlainWriter(System.err));
            }
            new PlainWriter(System.err).println("shardsim: " + told(failure));
            return ExitStatus.FAILED;
        }
    }

    /** The arguments, or only the first one if it is an unknown command: a help option after it would hide the error. */
    private static String[] known(String[] arguments, CommandLine commandLine) {
        boolean unknown = arguments.length > 0
                && !arguments[0].startsWith("-")
                && !commandLine.getSubcommands().containsKey(arguments[0]);
        return unknown ? new String[] {arguments[0]} : arguments;
    }

    /** Answers requests as the commands do. */
    public static Answering answering(Services services) {
        return new Answers(services);
    }

    /** The whole command line. */
    public static CommandLine commandLine(Services services) {
        CommandLine commandLine = new CommandLine(new ShardsimCommand());
        commandLine.addSubcommand(new RunCommand(services.runners(), services.reports()));
        commandLine.addSubcommand(new InitCommand());
        commandLine.addSubcommand(new PlanCommand(services.runners()));
        commandLine.addSubcommand(new FitsCommand(services.runners()));
        commandLine.addSubcommand(new CompareCommand(services.runners()));
        commandLine.addSubcommand(new WhatIfCommand(services.runners()));
        commandLine.addSubcommand(new ExplainCommand(services.runners()));
        commandLine.addSubcommand(new DoctorCommand(services.runners()));
        commandLine.addSubcommand(new CalibrateCommand(services.runners()));
        commandLine.addSubcommand(new CriticalPathCommand());
        commandLine.addSubcommand(new ImportCommand());
        commandLine.addSubcommand(new ValidateCommand(services.runners()));
        commandLine.addSubcommand(new GalleryCommand(services.runners()));
        commandLine.addSubcommand(new DemoCommand(services.demos()));
        commandLine.addSubcommand(new ExerciseCommand(services.runners()));
        commandLine.addSubcommand(new StudioCommand(new Answers(services)));
        commandLine.addSubcommand(new CatalogCommand());
        commandLine.addSubcommand(new BenchCommand());
        commandLine.addSubcommand(new WorkerCommand(services.runners()));
        commandLine.addSubcommand(new ServeCommand(new Answers(services)));
        commandLine.addSubcommand(new HelpCommand());
        commandLine.addSubcommand(new VersionCommand());
        commandLine.addSubcommand(new CompletionCommand());
        addFurther(commandLine);
        commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        commandLine.setErr(new PlainWriter(System.err));
        commandLine.setUsageHelpAutoWidth(false);
        commandLine.setHelpFactory((command, colours) -> {
            command.usageMessage().width(Math.max(HELP_MIN, Math.min(HELP_MAX, Terminal.width())));
            return new CommandLine.Help(command, colours);
        });
        commandLine.setParameterExceptionHandler((refused, arguments) -> {
            PrintWriter err = refused.getCommandLine().getErr();
            String name = refused.getCommandLine().getCommandSpec().qualifiedName();
            err.println(name + ": " + told(refused));
            err.println("`" + name + " --help` shows its options.");
            err.flush();
            return ExitStatus.USAGE;
        });
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof TooLargeException tooLarge) {
                ProblemPrinter.print(List.of(located(tooLarge, command)), command.getErr());
                return ExitStatus.USAGE;
            }
            if (failure instanceof ClassPathException broken) {
                return refuse(broken, command.getErr());
            }
            command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + told(failure));
            command.getErr().flush();
            return ExitStatus.FAILED;
        });
        return commandLine;
    }

    private static void addFurther(CommandLine commandLine) {
        try {
            ServiceLoader.load(FurtherCommand.class, FurtherCommand.class.getClassLoader())
                    .forEach(commandLine::addSubcommand);
        } catch (ServiceConfigurationError | InitializationException unfit) {
            throw new ClassPathException("a command on SHARDSIM_CLASSPATH cannot be used: " + unfit.getMessage());
        }
    }

    /** Reports problems of a file added to the class path, as for any other input. */
    private static int refuse(ClassPathException broken, PrintWriter err) {
        if (broken.getCause() instanceof InputException input) {
            ProblemPrinter.print(input.problems(), err);
        } else {
            err.println(broken.getMessage());
            err.flush();
        }
        return ExitStatus.USAGE;
    }

    /** Locates an input that is too large at the key in the command's file that makes it so. */
    private static Problem located(TooLargeException tooLarge, CommandLine command) {
        List<String> files = new ArrayList<>();
        command.getParseResult().matchedPositionals().forEach(each -> files.addAll(each.stringValues()));
        for (String file : files) {
            Position place = KeyPlace.of(file, tooLarge.keys());
            if (!place.equals(Position.START)) {
                return new Problem(file, place, String.valueOf(tooLarge.getMessage()));
            }
        }
        return new Problem(String.join(" ", files), Position.START, String.valueOf(tooLarge.getMessage()));
    }

    /** The message for wrong usage, with the nearest known command or option. */
    static String told(ParameterException refused) {
        if (!(refused instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return String.valueOf(refused.getMessage());
        }
        String first = unmatched.getUnmatched().get(0);
        CommandLine command = refused.getCommandLine();
        if (first.startsWith("-")) {
            List<String> options = new ArrayList<>();
            command.getCommandSpec().options().forEach(option -> options.addAll(List.of(option.names())));
            return "unknown option " + first + "; " + Nearest.remedy(first, options);
        }
        return command.getSubcommands().isEmpty()
                ? "unexpected argument " + first
                : "unknown command " + first + "; "
                        + Nearest.remedy(first, command.getSubcommands().keySet());
    }

    /** The message for a failure; unexpected exceptions include their class. */
    static String told(Throwable failure) {
        if (failure instanceof ExceptionInInitializerError && failure.getCause() != null) {
            return told(failure.getCause());
        }
        if (OutOfHeap.isCauseOf(failure)) {
            return OutOfHeap.words();
        }
        String message = failure.getMessage();
        if (failure instanceof FileSystemException file) {
            return "cannot use " + file.getFile() + ": " + reason(file);
        }
        if (failure.getClass() == IOException.class && message != null) {
            return "cannot read or write: " + message;
        }
        return message == null
                ? failure.toString()
                : failure instanceof IllegalStateException
                        ? message
                        : failure.getClass().getSimpleName() + ": " + message;
    }

    /** Why the file system rejects a file, without its name. */
    static String reason(FileSystemException failure) {
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return "it does not exist";
        }
        return failure.getReason() == null ? "the file system refuses it" : failure.getReason();
    }

    /** The version in the manifest of the runnable jar; "development" when started from class folders. */
    static final class PackagedVersion implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = ShardsimCommand.class.getPackage().getImplementationVersion();
            return new String[] {"shardsim " + (version == null ? "development" : version)};
        }
    }
}
