package io.shardsim.scenarios.cli;

import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.MessageCode;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.evaluation.AdvisedRuns;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.explaining.CriticalPaths;
import io.shardsim.scenarios.explaining.PricedDifferences;
import io.shardsim.scenarios.keeping.KeepingRunner;
import io.shardsim.scenarios.keeping.KeptPoints;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run FILE...}: runs every point of each scenario, and reports. */
@Command(
        name = "run",
        description = "Runs each scenario, or every point of its sweep, and writes a report.",
        footer = {
            "",
            "Examples:",
            "  shardsim run gpt2-30b-on-p4d --set training.attention=flash",
            "  shardsim run my.yaml --set cluster.nodes=[4,8,16] --tokens 300B -o /tmp/report",
            "",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, too large to simulate, or "
                    + "unsure under --strict, 3 nothing of a scenario fits in memory,",
            "4 an assertion of a scenario does not hold,",
            ExitStatus.INTERRUPTED_HELP + ".",
            "An interrupted run reports the finished points; --resume runs the rest."
        })
final class RunCommand extends Speaking {
    static final String REPORTS = "build/reports/";
    private final RunnerFactory runners;
    private final ReportWriter reports;
    /** Modification time of the newest file in each report's folder before this run. */
    private final Map<Path, FileTime> writtenBefore = new HashMap<>();

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Scenario files, library names (shardsim catalog library), or - for stdin.")
    private List<String> files = List.of();

    @Option(names = "--json", description = "Print results as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set a scenario key, for example training.micro_batch=4; a list sweeps it. Can be repeated.")
    private List<String> set = List.of();

    @Option(
            names = "--tokens",
            paramLabel = "N",
            converter = Amount.Tokens.class,
            description = "Tokens to train on, for days and dollars, for example 300B. Default: 100B and 500B.")
    private @Nullable Double tokens;

    @Option(
            names = {"-q", "--quiet"},
            description = "Write the report; print only errors.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "Show every run, reason and note, not only the most important.")
    private boolean verbose;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Report folder; several scenarios get a subfolder each. Default: build/reports/SCENARIO.")
    private @Nullable String out;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Simulation threads, one per point; spare threads split points into parts. Default: the "
                    + "number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--no-fast-forward",
            description = "Execute every event, even those proven to repeat. Slower; does not change results.")
    private boolean noFastForward;

    @Option(
            names = "--svg",
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Also write each chart of the report as SVG, for slides and LaTeX; several scenarios get a "
                    + "subfolder each.")
    private @Nullable String svg;

    @Option(
            names = "--resume",
            description =
                    "Resume an interrupted sweep: finished points are kept in the report folder and not run again.")
    private boolean resume;

    @Option(
            names = "--trials",
            paramLabel = "all|none",
            description = "all: try every setting and assumption, however long it takes; none: same as "
                    + "--no-trials. Default: up to about a fifth of the points' events.")
    private @Nullable String trials;

    @Option(
            names = "--no-trials",
            description = "Only run the points: no advice, and no cost of assumptions and differences.")
    private boolean noTrials;

    @Option(
            names = "--strict",
            description = "Exit with status 2 if a result rests on an assumption or has a warning, and list each.")
    private boolean strict;

    @Option(names = "--open", description = "Open the report in your browser.")
    private boolean open;

    @Option(
            names = "--critical-path",
            description = "Also trace the critical path of the fastest run. Runs it once more, event by event.")
    private boolean criticalPath;

    @Option(
            names = "--trace",
            description = "Also write trace.json for https://ui.perfetto.dev: streams, ports and memory of each "
                    + "strategy on its largest cluster, about 25 MB at most; and under trace/ a "
                    + "PyTorch profiler trace per rank, for Holistic Trace Analysis. Runs these points "
                    + "once more.")
    private boolean trace;

    @Mixin
    private final AssertedRuns asserted = new AssertedRuns();

    @Mixin
    private final RunningCluster cluster = new RunningCluster();

    RunCommand(RunnerFactory runners, ReportWriter reports) {
        this.runners = runners;
        this.reports = reports;
    }

    @Override
    int answer() throws IOException, InterruptedException {
        cluster.check(line());
        if (trials != null && !List.of("all", "none").contains(trials)) {
            throw refused("--trials " + trials + " must be all or none");
        }
        if (noTrials && "all".equals(trials)) {
            throw refused("--trials all contradicts --no-trials; pass only one");
        }
        List<Problem> problems = new ArrayList<>();
        List<Scenario> scenarios = ScenarioFiles.read(files, Overrides.of("--set", set), problems);
        if (problems.isEmpty()) {
            asserted.check(scenarios);
        }
        Map<String, Path> directories = problems.isEmpty() ? directories(scenarios, problems) : Map.of();
        if (!problems.isEmpty()) {
            return refuse(problems);
        }
        return run(scenarios, directories);
    }

    /** The folder of each report. */
    private Map<String, Path> directories(List<Scenario> scenarios, List<Problem> problems) {
        Map<String, Path> directories = new LinkedHashMap<>();
        Map<String, String> fileOf = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            String other = fileOf.putIfAbsent(scenario.name(), scenario.file());
            if (other != null) {
                problems.add(new Problem(
                        scenario.file(),
                        Position.START,
                        "scenario " + scenario.name() + " is also defined in " + other
                                + "; rename one, or their reports overwrite each other"));
                continue;
            }
            String folder = directory(scenario.name(), scenarios.size());
            List<String> names = names();
            boolean wanted = out != null || Request.current() == null;
            if (wanted && (!json || out != null || ReportFolder.isWritable(folder, names))) {
                Path made = ReportFolder.make(line(), folder, "--out", names);
                directories.put(scenario.name(), made);
                writtenBefore.put(made, ReportFolder.written(made, names));
            }
        }
        return directories;
    }

    /** Names of the files in a report's folder. */
    private List<String> names() {
        List<String> names = new ArrayList<>(reports.files());
        if (trace) {
            names.add(Traces.FILE);
        }
        return names;
    }

    private String directory(String scenario, int scenarios) {
        if (out == null) {
            return REPORTS + scenario;
        }
        return scenarios == 1 ? out : out + "/" + scenario;
    }

    private int run(List<Scenario> scenarios, Map<String, Path> directories) throws IOException, InterruptedException {
        if (svg != null) {
            ReportFolder.make(line(), svg, "--svg", List.of());
        }
        // Points that wait for a member use no core here, and a failed point does not hold up the others.
        PointRuns runs = new PointRuns(scenarios, cluster.atOnce(threads), !cluster.isLocal());
        AdvisedRuns advised = new AdvisedRuns(scenarios, runs);
        PricedDifferences prices = new PricedDifferences(runners, threads);
        try (Interruption interruption = new Interruption(() -> {
            advised.interrupt();
            prices.interrupt();
        })) {
            Map<String, KeptPoints> kept = kept(scenarios, directories);
            ReportFailure failure = new ReportFailure(kept.values());
            List<ScenarioResult> results;
            try (KeepingRunner runner = new KeepingRunner(runner(runs.total()), kept, resume, this::warn)) {
                showing(progress -> runs.runAll(runner, progress));
                print(results(scenarios, runs::results), SummaryTable.Part.ANSWER);
                Map<Scenario, Long> left = new IdentityHashMap<>();
                showing(progress -> scenarios.forEach(
                        scenario -> left.put(scenario, price(prices, scenario, runs.results(scenario), progress))));
                print(
                        results(scenarios, scenario -> prices.with(runs.results(scenario))),
                        SummaryTable.Part.COMPARISONS);
                showing(progress -> advised.tryOtherSettings(runner, cluster.atOnce(threads), left::get, progress));
                if (!cluster.isLocal() && !runner.standing().isEmpty()) {
                    warn(RunningCluster.SAYS + runner.standing());
                }
                if (resume) {
                    warn("resumed: " + runner.resumed() + " runs reused");
                }
                results = report(scenarios, advised, prices, directories);
            } catch (IOException refused) {
                throw failure.of(refused);
            } catch (OutOfMemoryError full) {
                throw failure.ofFullHeap();
            }
            advised.failures().forEach(err()::println);
            if (runs.interrupted()) {
                err().println("interrupted: " + runs.done() + " of " + runs.total()
                        + " points are finished and reported");
            }
            err().flush();
            interruption.finished();
            int status = status(results, runs, advised);
            if (status != ExitStatus.DONE && status != ExitStatus.OUT_OF_MEMORY) {
                return status;
            }
            forget(scenarios, kept, advised);
            if (!asserted.hold(scenarios, results, json || quiet, verbose)) {
                return ExitStatus.ASSERTION;
            }
            return strict && status == ExitStatus.DONE && !isSure(results) ? ExitStatus.USAGE : status;
        }
    }

    /** Stores for the points of each sweep until its report is written. */
    private static Map<String, KeptPoints> kept(List<Scenario> scenarios, Map<String, Path> directories) {
        Map<String, KeptPoints> kept = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            Path directory = directories.get(scenario.name());
            if (directory != null && scenario.points().size() > 1) {
                kept.put(scenario.name(), new KeptPoints(directory));
            }
        }
        return kept;
    }

    private void forget(List<Scenario> scenarios, Map<String, KeptPoints> kept, AdvisedRuns advised) {
        for (Scenario scenario : scenarios) {
            KeptPoints points = kept.get(scenario.name());
            if (points != null) {
                try {
                    points.forget(scenario.points());
                    points.forget(advised.tried(scenario));
                } catch (IOException failure) {
                    warn("cannot remove the points kept for --resume: " + failure.getMessage());
                }
            }
        }
    }

    private ScenarioRunner runner(int points) throws InterruptedException {
        RunOptions options = new RunOptions(threads, !noFastForward).sharedBy(points);
        return cluster.runner(runners, this, options);
    }

    private void showing(Consumer<ProgressListener> work) {
        try (ProgressBarLine progress = quiet ? ProgressBarLine.silent() : ProgressBarLine.open()) {
            work.accept(progress);
        }
    }

    /**
     * Prices the differences between runs.
     *
     * @return number of events that trials may execute
     */
    private long price(PricedDifferences prices, Scenario scenario, List<RunResult> runs, ProgressListener progress) {
        if ("none".equals(trials) || noTrials || runs.isEmpty()) {
            return 0;
        }
        if ("all".equals(trials)) {
            prices.price(scenario, runs, Long.MAX_VALUE, progress);
            return Long.MAX_VALUE;
        }
        long eventsMax = Trials.eventsMax(runs);
        return Math.max(Trials.eventsMin(runs), eventsMax - prices.price(scenario, runs, eventsMax, progress));
    }

    /** Results of the scenarios with at least one finished point. */
    private List<ScenarioResult> results(List<Scenario> scenarios, Function<Scenario, List<RunResult>> runs) {
        List<ScenarioResult> results = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<RunResult> finished = finished(runs.apply(scenario));
            if (!finished.isEmpty()) {
                results.add(ScenarioResult.of(
                                scenario.name(), finished, scenario.points().size())
                        .from(new ScenarioResult.Origin(
                                Request.current() == null ? command(scenario) : "",
                                Build.current().brief())));
            }
        }
        return results;
    }

    /**
     * The command line that reproduces a scenario's results, without options that do not affect them. Reports contain no absolute path, so such a
     * file is shortened to its name.
     */
    private String command(Scenario scenario) {
        Path written = Path.of(scenario.file());
        String file = (written.isAbsolute() ? written.getFileName() : written).toString();
        List<String> words = new ArrayList<>(List.of(
                "shardsim",
                "run",
                scenario.file().equals(ScenarioFiles.STANDARD_INPUT_NAME) ? scenario.name() + ".yaml" : file));
        set.forEach(one -> words.addAll(List.of("--set", one)));
        if (tokens != null) {
            words.addAll(List.of("--tokens", BigDecimal.valueOf(tokens).toPlainString()));
        }
        if (noTrials || trials != null) {
            words.addAll(trials == null ? List.of("--no-trials") : List.of("--trials", trials));
        }
        if (criticalPath) {
            words.add("--critical-path");
        }
        return words.stream()
                .map(word -> word.matches("[\\w./=:,+-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private void print(List<ScenarioResult> results, SummaryTable.Part part) {
        results.forEach(result -> print(result, part, results.size() > 1));
    }

    /** @param named whether to print the scenario's name before parts that are printed separately */
    private void print(ScenarioResult result, SummaryTable.Part part, boolean named) {
        if (json || quiet) {
            return;
        }
        TextStyle style = Terminal.style(verbose ? TextStyle.Detail.FULL : TextStyle.Detail.BRIEF);
        String text = reports.text(result, style, part).stripTrailing();
        if (!text.isEmpty()) {
            PrintWriter stdout = out();
            if (named && part != SummaryTable.Part.ANSWER) {
                stdout.println(result.scenario() + ":");
            }
            stdout.println(text);
            stdout.flush();
        }
    }

    private List<ScenarioResult> report(
            List<Scenario> scenarios, AdvisedRuns runs, PricedDifferences prices, Map<String, Path> directories)
            throws IOException, InterruptedException {
        PrintWriter stdout = out();
        List<ScenarioResult> results =
                results(scenarios, scenario -> followed(scenario, prices.with(runs.results(scenario))));
        // Printed before any file is written, so that a full disk does not lose the results.
        if (json && !(results.isEmpty() && !runs.failures().isEmpty())) {
            stdout.print(reports.json(results));
            stdout.flush();
            Request request = Request.current();
            if (request != null) {
                request.keep(results);
            }
        }
        for (ScenarioResult result : results) {
            print(result, SummaryTable.Part.TRIALS, results.size() > 1);
            files(scenarios, result, directories.get(result.scenario()));
        }
        return results;
    }

    private void files(List<Scenario> scenarios, ScenarioResult result, @Nullable Path directory)
            throws IOException, InterruptedException {
        PrintWriter stdout = out();
        if (directory != null) {
            if (!ReportFolder.written(directory, names()).equals(writtenBefore.get(directory))) {
                warn("another run also wrote its report to " + directory + " in the meantime; this one replaces it. "
                        + "Name another folder with --out");
            }
            Path report = reports.write(directory, result).get(0);
            if (!json && !quiet) {
                stdout.println("report: " + YamlReader.oneLineOf(report.toString()));
                stdout.flush();
            }
            if (open && !WebBrowser.open(report.toUri().toString())) {
                warn("--open: no browser found; open " + report + " yourself");
            }
        }
        if (svg != null) {
            figures(scenarios.size() == 1 ? svg : svg + "/" + result.scenario(), result);
        }
        if (trace && directory != null && result.anyFits()) {
            for (Scenario scenario : scenarios) {
                if (scenario.name().equals(result.scenario())) {
                    trace(directory, scenario, result);
                }
            }
        }
    }

    /** Returns the runs; with --critical-path, adds the critical path to the fastest. */
    private List<RunResult> followed(Scenario scenario, List<RunResult> runs) {
        if (!criticalPath || runs.size() != scenario.points().size()) {
            return runs;
        }
        int fastest = Math.max(0, ScenarioResult.indexOfFastest(runs));
        List<RunResult> all = new ArrayList<>(runs);
        try {
            CriticalPaths.Followed followed = new CriticalPaths()
                    .follow(scenario.name(), scenario.points().get(fastest));
            CriticalParts parts = followed == null ? null : followed.parts();
            if (parts != null) {
                all.set(fastest, all.get(fastest).withPath(parts));
            }
        } catch (InputException refused) {
            warn("critical path: " + refused.problems().get(0).message());
        }
        return all;
    }

    private List<RunResult> finished(List<RunResult> runs) {
        Double length = tokens;
        return length == null
                ? runs
                : runs.stream().map(run -> run.withTokens(length)).toList();
    }

    private void figures(String folder, ScenarioResult result) throws IOException {
        int written = reports.writeFigures(ReportFolder.make(line(), folder, "--svg", List.of()), result);
        if (!json && !quiet) {
            out().println("figures: " + written + " in " + YamlReader.oneLineOf(folder));
            out().flush();
        }
    }

    private void trace(Path directory, Scenario scenario, ScenarioResult result)
            throws IOException, InterruptedException {
        Traces.Written written = Traces.write(directory, scenario, result, new RunOptions(1, !noFastForward));
        if (!json && !quiet) {
            out().println("trace: " + YamlReader.oneLineOf(written.file().toString()));
        }
        written.leftOut().forEach(what -> err().println("trace: left out " + what));
        err().flush();
    }

    /** Whether no result has an assumption or a warning; prints each one once. */
    private boolean isSure(List<ScenarioResult> results) {
        Set<String> unsure = new LinkedHashSet<>();
        for (ScenarioResult result : results) {
            for (RunResult run : result.runs()) {
                run.facts().assumptions().forEach(open -> unsure.add("assumed " + open.taken()));
                run.facts()
                        .messages()
                        .forEach(message -> unsure.add(message.code().id() + ": " + message.text()));
                if (!run.fits()) {
                    unsure.add(MessageCode.OUT_OF_MEMORY.id() + ": " + run.label());
                }
            }
        }
        unsure.forEach(what -> err().println("strict: " + what));
        err().flush();
        return unsure.isEmpty();
    }

    private int status(List<ScenarioResult> results, PointRuns runs, AdvisedRuns advised) {
        int status = ExitStatus.of(runs);
        if (status != ExitStatus.DONE) {
            return status;
        }
        if (advised.anyTryFailed()) {
            return ExitStatus.FAILED;
        }
        for (ScenarioResult result : results) {
            if (!result.anyFits()) {
                if (json || quiet) {
                    err().println(NothingFits.words(result));
                }
                status = ExitStatus.OUT_OF_MEMORY;
            }
        }
        err().flush();
        return status;
    }
}
