package io.shardsim.scenarios.cli;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.FitOutcome;
import io.shardsim.reports.writing.ValidationJson;
import io.shardsim.reports.writing.ValidationTable;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.accuracy.ReferenceCase;
import io.shardsim.scenarios.accuracy.ReferenceCases;
import io.shardsim.scenarios.accuracy.ValidationRecord;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code validate [FILE]}: simulates published measurements and prints how far off each is. */
@Command(
        name = "validate",
        description = {
            "Simulates the published reference cases, or your own, and prints measured and simulated values and "
                    + "errors.",
            "An error of +5 %% means that the simulated value is 5 %% above the measured one. A bias of +5 %% "
                    + "means that the simulator is 5 %% too fast."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done, however large the errors",
            "1:a simulation failed",
            "2:wrong usage or input",
            "3:no case fits in memory",
            ExitStatus.SIGNALS + ":" + ExitStatus.BY_SIGNAL,
        })
final class ValidateCommand extends Speaking {
    private static final String JSON_FILE = "validation.json";
    private static final String TEXT_FILE = "validation.txt";
    /** The source tree from which the launcher was started. */
    static final Path HOME = Path.of(System.getProperty("shardsim.home", ""));

    private final RunnerFactory runners;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description = "Your own cases, a file or folder. Default: the published ones in the source tree.")
    private @Nullable String file;

    @Option(names = "--json", description = "Print results as JSON on stdout.")
    private boolean json;

    @Option(names = "--only", paramLabel = "TEXT", description = "Only cases whose name or family contains this text.")
    private String only = "";

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Output folder for validation.json and validation.txt. Default: build/reports/validation.")
    private String out = "build/reports/validation";

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent cases. Default: the number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--no-fast-forward",
            description = "Execute every event, even those proven to repeat. Slower; does not change results.")
    private boolean noFastForward;

    @Option(
            names = "--record",
            paramLabel = "ROOT",
            hidden = true,
            description = "Update errors.csv, DEVIATIONS.md and the counts in README.md and docs of this source tree "
                    + "from the published cases.")
    private @Nullable Path record;

    @Mixin
    private final RunningCluster cluster = new RunningCluster();

    ValidateCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws IOException, InputException {
        if (record != null && file != null) {
            throw refused("--record works on the published cases only; leave out FILE");
        }
        List<ReferenceCase> cases = file == null ? ReferenceCases.published(HOME) : read(file);
        List<ReferenceCase> wanted =
                cases.stream().filter(one -> one.isNamed(only)).toList();
        if (wanted.isEmpty()) {
            throw refused("--only " + only + " matches no case; leave it out to run all");
        }
        int status = run(cases, wanted, ReportFolder.make(line(), out, "--out", List.of(JSON_FILE, TEXT_FILE)));
        if (file != null) {
            remark(wanted);
        }
        return status;
    }

    /** Prints assumptions about clusters and the like, as {@code run} does; each note once. */
    private void remark(List<ReferenceCase> cases) {
        Map<String, List<String>> ids = new LinkedHashMap<>();
        for (ReferenceCase one : cases) {
            one.point()
                    .notes()
                    .forEach(note -> ids.computeIfAbsent(note, first -> new ArrayList<>())
                            .add(one.id()));
        }
        ids.forEach((note, of) -> err().println("note on " + of.get(0)
                + (of.size() > 1 ? " and " + (of.size() - 1) + " more" : "") + ": " + note));
        err().flush();
    }

    private static List<ReferenceCase> read(String file) throws InputException {
        try (Waiting waiting = Waiting.on(List.of(file))) {
            return new File(file).isDirectory() ? ReferenceCases.readFolder(Path.of(file)) : ReferenceCases.read(file);
        }
    }

    private int run(List<ReferenceCase> all, List<ReferenceCase> wanted, Path directory) throws IOException {
        Map<ReferenceCase.Question, Scenario> questions = new LinkedHashMap<>();
        // Whether a run fits is known without simulating it.
        List<ReferenceCase> cases =
                wanted.stream().filter(one -> !one.measured().isEmpty()).toList();
        for (ReferenceCase one : cases) {
            ask(one, one.point(), questions);
            ask(one, one.written().released(), questions);
        }
        PointRuns runs = new PointRuns(List.copyOf(questions.values()), cluster.atOnce(threads), true);
        RunnerFactory workers = cluster.runners(runners, this);
        try (Interruption interruption = new Interruption(runs::interrupt)) {
            try (ScenarioRunner runner = workers.create(
                            new RunOptions(threads, !noFastForward).running(RunOptions.TooLarge.SIMULATED));
                    ProgressBarLine progress = ProgressBarLine.open()) {
                runs.runAll(runner, progress);
            }
            List<CaseOutcome> outcomes = outcomes(cases, questions, runs);
            List<FitOutcome> fits = fits(wanted);
            report(outcomes, fits, directory);
            if (record != null && runs.done() == runs.total()) {
                ValidationRecord.write(record, all, outcomes, LocalDate.now(ZoneOffset.UTC));
            }
            runs.failures().forEach(err()::println);
            if (runs.interrupted()) {
                err().println("interrupted: " + runs.done() + " of " + runs.total()
                        + " cases are finished and reported");
            }
            err().flush();
            interruption.finished();
            return fits.isEmpty() ? status(outcomes, runs) : ExitStatus.of(runs);
        }
    }

    /** Outcomes of the cases whose runs finished. */
    private static List<CaseOutcome> outcomes(
            List<ReferenceCase> cases, Map<ReferenceCase.Question, Scenario> questions, PointRuns runs) {
        List<CaseOutcome> outcomes = new ArrayList<>();
        for (ReferenceCase one : cases) {
            RunResult run = result(one.point(), questions, runs);
            RunResult released = result(one.written().released(), questions, runs);
            if (run != null) {
                boolean fits = run.facts().memory() == null
                        || run.facts().memory().fit().fits();
                outcomes.addAll(one.outcomes(
                        metric -> metric.of(run), metric -> released == null ? null : metric.of(released), fits));
            }
        }
        return outcomes;
    }

    /** Adds the run that a point needs, unless an identical one is listed already. */
    private static void ask(
            ReferenceCase one, @Nullable ScenarioPoint point, Map<ReferenceCase.Question, Scenario> questions) {
        if (point != null) {
            questions.computeIfAbsent(
                    ReferenceCase.question(point),
                    question -> new Scenario(one.id(), one.family(), false, List.of(point)));
        }
    }

    private static @Nullable RunResult result(
            @Nullable ScenarioPoint point, Map<ReferenceCase.Question, Scenario> questions, PointRuns runs) {
        Scenario scenario = point == null ? null : questions.get(ReferenceCase.question(point));
        List<RunResult> done = scenario == null ? List.of() : runs.results(scenario);
        return done.isEmpty() ? null : done.get(0);
    }

    private static List<FitOutcome> fits(List<ReferenceCase> cases) {
        List<FitOutcome> fits = new ArrayList<>();
        for (ReferenceCase one : cases) {
            if (one.ran() != null) {
                one.fitOutcome(PointSimulation.fits(one.point())).ifPresent(fits::add);
            }
        }
        return fits;
    }

    private void report(List<CaseOutcome> outcomes, List<FitOutcome> fits, Path directory) throws IOException {
        if (outcomes.isEmpty() && fits.isEmpty()) {
            return;
        }
        String document = ValidationJson.write(outcomes, fits);
        String table = ValidationTable.write(outcomes, fits, Terminal.width());
        PrintWriter stdout = out();
        stdout.print(json ? document : table);
        stdout.flush();
        WholeFiles.write(directory, Map.of(JSON_FILE, document, TEXT_FILE, table));
    }

    private int status(List<CaseOutcome> outcomes, PointRuns runs) {
        if (ExitStatus.of(runs) != ExitStatus.DONE) {
            return ExitStatus.of(runs);
        }
        if (outcomes.stream().allMatch(outcome -> outcome.simulated() == null)) {
            err().println("no case fits in memory");
            return ExitStatus.OUT_OF_MEMORY;
        }
        return ExitStatus.DONE;
    }
}
