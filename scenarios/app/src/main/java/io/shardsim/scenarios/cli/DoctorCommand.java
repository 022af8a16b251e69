package io.shardsim.scenarios.cli;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Doctor;
import io.shardsim.scenarios.explaining.DoctorText;
import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.scenarios.explaining.Measured;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.exporting.Export;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.logs.TrainingLog;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code doctor FILE...}: whether a training is slow, why, what that costs, and what to change. */
@Command(
        name = "doctor",
        description = {
            "Tells whether a training run is slow, why, what that costs per day, and which settings would help most.",
            "Pass framework configs (as for import) or one scenario, and the training and NCCL logs "
                    + "(NCCL_DEBUG=INFO)."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim doctor config.json ds_config.json train.log nccl.log --instance p4d.24xlarge --nodes 4",
            "  shardsim doctor my.yaml --measured '1000 tokens/s/GPU'",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 the run does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class DoctorCommand extends Speaking {
    /** File name endings of configurations, which are never read as logs. */
    private static final String CONFIGURATION = ".*\\.(ya?ml|sh|bash|slurm|py|ipynb|toml)";

    private final RunnerFactory runners;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Framework configs of one training run, or a scenario file or library name; and logs.")
    private List<String> files = List.of();

    @Mixin
    private final EvidenceOptions evidence = new EvidenceOptions();

    @Mixin
    private final ImportOptions options = new ImportOptions();

    @Mixin
    private final SetOption set = new SetOption();

    @Mixin
    private final ClusterQuestion question = new ClusterQuestion();

    @Option(
            names = "-o",
            paramLabel = "DIR",
            description = "Write the configuration with the best setting into this folder.")
    private @Nullable String output;

    DoctorCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    /**
     * The training that the files describe.
     *
     * @param imported whether it was imported from framework configs, not read from a scenario
     * @param titles kind of each file, by file name
     * @param left values that no file states
     */
    private record Training(
            Explainer.Subject subject, boolean imported, Map<String, String> titles, List<String> left) {}

    @Override
    int answer() throws InputException {
        Choices choices = options.choices();
        ConfigurationOutput folder =
                output == null ? null : new ConfigurationOutput(line(), output, false, question.isJson());
        return examine(choices, folder);
    }

    private int examine(Choices choices, @Nullable ConfigurationOutput folder) throws InputException {
        List<Problem> problems = new ArrayList<>();
        List<TrainingLog> logs = new ArrayList<>();
        List<String> configurations = new ArrayList<>();
        for (String file : files) {
            TrainingLog log = log(file, problems);
            if (log == null) {
                configurations.add(file);
            } else {
                logs.add(log);
            }
        }
        Training training = null;
        try {
            training = training(configurations, choices);
        } catch (InputException refused) {
            problems.addAll(refused.problems());
        }
        List<Measured> measured = measured(logs, problems);
        if (training == null || !problems.isEmpty()) {
            throw new InputException(problems);
        }
        Explainer.Evidence known =
                Explainer.Evidence.of(measured, evidence.ruledOut(), logs).with(evidence.profiled());
        Doctor doctor = new Doctor(question.runners(runners, this), question.threads());
        Training asked = training;
        Doctor.Answer answer = question.ask(
                progress -> doctor.examine(asked.subject(), understood(asked, logs), known, progress, this::tellFirst),
                doctor::interrupt,
                DoctorText::json,
                DoctorText::write);
        if (answer == null || answer.interrupted()) {
            return ExitStatus.INTERRUPTED;
        }
        if (folder != null) {
            write(training, answer, folder);
        }
        return answer.explanation().fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }

    /** Prints what is known before the faults of a large run are simulated, which takes a while. */
    private void tellFirst(List<String> healthy) {
        healthy.forEach(line().getErr()::println);
        line().getErr().println("Simulating faults and settings; Ctrl-C prints the results so far.");
        line().getErr().flush();
    }

    /** Reads a file as a log; null if it is not one, or does not exist. */
    private static @Nullable TrainingLog log(String file, List<Problem> problems) {
        String text = ScenarioFiles.text(file);
        try {
            if (file.matches(CONFIGURATION) || text == null && !Files.isRegularFile(Path.of(file))) {
                return null;
            }
            TrainingLog log = text == null ? TrainingLog.read(file) : TrainingLog.read(file, new StringReader(text));
            if (log.isKnown()) {
                return log;
            }
            if (file.matches("(.*\\.)?(log|out|err|txt)")) {
                problems.add(new Problem(
                        file,
                        Position.NONE,
                        "has no speed and no known NCCL message (" + String.join(", ", TrainingLog.kinds())
                                + "); leave it out and pass the speed with --measured '1000 tokens/s/GPU'"));
                return log;
            }
        } catch (IOException | java.nio.file.InvalidPathException unreadable) {
            // Reported when the file is read as a configuration.
        }
        return null;
    }

    private Training training(List<String> configurations, Choices choices) throws InputException {
        if (configurations.isEmpty()) {
            throw new InputException(
                    files.get(0),
                    "is a log and does not describe the training; add a scenario or the framework configs");
        }
        RunName name = RunName.of(configurations.get(0));
        if (configurations.size() == 1
                && (ScenarioFiles.isText(name.file())
                        || Library.names().contains(name.file())
                        || ScenarioImport.isScenario(name.file()))) {
            return new Training(
                    RunFile.subject(name, set.overrides()), false, Map.of(name.written(), "a scenario"), List.of());
        }
        try (Waiting waiting = Waiting.on(configurations)) {
            Imported imported = ScenarioImport.read(configurations, choices);
            String title = String.valueOf(imported.tree().get("scenario"));
            SweptFile file = SweptFile.of(OpenedFile.text(title, imported.text()), set.overrides());
            return new Training(
                    Explainer.Subject.of(new RunName(title, null), file),
                    true,
                    imported.titles(),
                    imported.assumptions().stream()
                            .map(each -> each.key().substring(each.key().indexOf('.') + 1) + " " + each.value())
                            .toList());
        }
    }

    /** The measured speeds of the command line, else the speed of the first log that has one. */
    private List<Measured> measured(List<TrainingLog> logs, List<Problem> problems) {
        if (!evidence.measured().isEmpty()) {
            return evidence.measured();
        }
        TrainingLog.Speed speed = logs.stream()
                .map(TrainingLog::speed)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (speed != null) {
            return List.of(Measured.parse(
                    new BigDecimal(speed.median()).round(new MathContext(6)).toPlainString() + " " + speed.unit()));
        }
        if (problems.isEmpty()) {
            problems.add(new Problem(
                    "--measured",
                    Position.NONE,
                    "no log has a speed; add the training log, or pass for example --measured '1000 "
                            + "tokens/s/GPU'"));
        }
        return List.of();
    }

    private static Doctor.Understood understood(Training training, List<TrainingLog> logs) throws InputException {
        List<String> read = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        training.titles().forEach((file, title) -> read.add(YamlReader.printable(file) + ", " + title));
        for (TrainingLog log : logs) {
            TrainingLog.Speed speed = log.speed();
            read.add(YamlReader.printable(log.name()) + (speed == null ? ", fault messages" : ", " + words(speed)));
            log.findings()
                    .forEach((fault, finding) ->
                            lines.add((finding.shown() ? "Shows " : "Rules out ") + fault + ": " + log.cited(finding)));
        }
        return new Doctor.Understood(
                read,
                training.left(),
                lines,
                Doctor.contradictions(training.subject().point(Map.of()), logs),
                training.imported() ? null : training.subject().name());
    }

    private static String words(TrainingLog.Speed speed) {
        return speed.of() + ": " + Quantities.threeDigits(speed.median()) + " " + speed.unit()
                + (speed.steps() == 1
                        ? ", one value"
                        : ", median of " + speed.steps() + ", 80 % of them " + Quantities.threeDigits(speed.low())
                                + " to " + Quantities.threeDigits(speed.high()));
    }

    /** Writes the configuration with the setting that gains most, for the framework it was imported from if that can express it. */
    private static void write(Training training, Doctor.Answer answer, ConfigurationOutput folder)
            throws InputException {
        if (answer.gains().isEmpty()) {
            folder.tell("Nothing written: no setting helps.");
            return;
        }
        Explainer.Subject subject = training.subject();
        Map<String, String> settings = Doctor.settings(answer.gains().get(0));
        ScenarioPoint point = subject.point(settings);
        Map<String, Object> file = subject.file().variations(subject.place()).file(settings);
        Framework framework = training.imported()
                ? Framework.of(
                        training.titles().values(),
                        ((Task.Training) point.task()).strategy().kind())
                : null;
        Export scenario = Exporter.scenario(String.valueOf(file.get("scenario")), file);
        if (framework == null) {
            folder.write(scenario);
            return;
        }
        try {
            folder.write(Exporter.export(framework, point, file));
        } catch (InputException refused) {
            folder.write(scenario);
            folder.tell("Wrote a scenario instead: " + refused.problems().get(0).message() + ".");
        }
    }
}
