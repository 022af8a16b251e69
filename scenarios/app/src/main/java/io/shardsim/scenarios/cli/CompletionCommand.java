package io.shardsim.scenarios.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code completion}: prints the script with which a shell completes commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints shell completion for bash and zsh, or for fish.",
            "To enable it in the current shell:",
            "",
            "  source <(shardsim completion)",
            "  shardsim completion --fish | source"
        })
final class CompletionCommand extends Speaking {
    @Option(names = "--fish", description = "Print fish completion.")
    private boolean fish;

    @Override
    int answer() {
        CommandLine root = line().getCommandSpec().root().commandLine();
        PrintWriter out = out();
        if (fish) {
            String name = root.getCommandName();
            out.println("complete -c " + name + " -n __fish_use_subcommand -f");
            root.getSubcommands().forEach((command, line) -> printFish(out, name, command, line.getCommandSpec()));
        } else {
            out.println(AutoComplete.bash(root.getCommandName(), root));
        }
        out.flush();
        return ExitStatus.DONE;
    }

    /** Prints a command and its options, each with the first sentence of its description. */
    private static void printFish(PrintWriter out, String name, String command, CommandSpec spec) {
        out.println("complete -c " + name + " -n __fish_use_subcommand -a " + command
                + about(spec.usageMessage().description()));
        for (OptionSpec option :
                spec.options().stream().filter(each -> !each.hidden()).toList()) {
            StringBuilder line =
                    new StringBuilder("complete -c " + name + " -n '__fish_seen_subcommand_from " + command + "'");
            for (String each : option.names()) {
                line.append(each.startsWith("--") ? " -l " : " -s ").append(each.replaceFirst("^-+", ""));
            }
            if (option.completionCandidates() != null) {
                line.append(" -x -a ").append(quoted(String.join(" ", option.completionCandidates())));
            } else if (option.paramLabel().contains("|")) {
                line.append(" -x -a ").append(quoted(option.paramLabel().replace('|', ' ')));
            } else if (option.arity().max() > 0) {
                line.append(" -r");
            }
            out.println(line + about(option.description()));
        }
    }

    private static String about(String... lines) {
        String text = String.join(" ", Arrays.asList(lines));
        return text.isEmpty()
                ? ""
                : " -d " + quoted(text.replaceFirst("(?s)(?<=[.:;]) .*", "").replaceFirst("[.:;]$", ""));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
