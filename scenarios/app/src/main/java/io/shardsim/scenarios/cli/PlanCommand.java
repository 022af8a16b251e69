package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.exporting.Export;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.exporting.Lost;
import io.shardsim.scenarios.keeping.KeepingRunner;
import io.shardsim.scenarios.keeping.KeptPoints;
import io.shardsim.scenarios.planning.Candidate;
import io.shardsim.scenarios.planning.Goal;
import io.shardsim.scenarios.planning.Objective;
import io.shardsim.scenarios.planning.Plan;
import io.shardsim.scenarios.planning.PlanJson;
import io.shardsim.scenarios.planning.PlanText;
import io.shardsim.scenarios.planning.Planner;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code plan FILE}: finds the best configuration that a scenario leaves open. */
@Command(
        name = "plan",
        description = {
            "Finds the fastest or cheapest configuration for the settings that a scenario leaves open.",
            "Open settings are those listed under search, and those left out: strategy, shard group, tensor and "
                    + "pipeline parallelism, micro-batch, checkpointing, offload, attention, instance and "
                    + "nodes."
        },
        footer = {
            "",
            "Example: shardsim plan my.yaml --objective cheapest --deadline 30d --tokens 300B --max-nodes 64",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 nothing fits or meets the "
                    + "limits, or nothing was found in time,",
            ExitStatus.INTERRUPTED_HELP + "; prints the best so far, and --resume continues."
        })
final class PlanCommand extends Speaking {
    /** Maximum number of candidates in a search with a time limit, and the share of that limit for listing them. */
    private static final int LISTED_MAX = 150_000;

    private static final double LISTING_SHARE = 0.4;
    private static final String SCENARIO = "scenario";

    private final RunnerFactory runners;

    @Mixin
    private final RunFile file = new RunFile();

    @Option(names = "--objective", paramLabel = "fastest|cheapest", description = "Objective. Default: fastest.")
    private String objective = "fastest";

    @Option(
            names = "--tokens",
            paramLabel = "N",
            converter = Amount.Tokens.class,
            description = "Tokens to train on, for days and dollars. Default: 500B.")
    private double tokens = 500e9;

    @Option(
            names = "--deadline",
            paramLabel = "DAYS",
            converter = Amount.Days.class,
            description = "Maximum training time, for example 30d.")
    private double deadline = Double.POSITIVE_INFINITY;

    @Option(
            names = "--budget",
            paramLabel = "USD",
            converter = Amount.Dollars.class,
            description = "Maximum training cost, for example '400k USD'.")
    private double budget = Double.POSITIVE_INFINITY;

    @Option(
            names = "--max-nodes",
            paramLabel = "N",
            description = "Maximum number of nodes, if the file leaves it open. Default: 64.")
    private int nodesMax = 64;

    @Option(
            names = "--available",
            paramLabel = "SOFTWARE",
            split = ",",
            description = "Search only strategies of this software, for example pytorch,deepspeed. Default: what the "
                    + "file names, else whatever anyone can install.")
    private List<String> available = List.of();

    @Option(
            names = "--tight",
            description = "Also search configurations that fit only without fragmentation; they rank last.")
    private boolean tight;

    @Option(
            names = "--free",
            paramLabel = "KEY",
            split = ",",
            description =
                    "Keys or blocks to search although the file sets them, for example strategy,training.micro_batch.")
    private List<String> free = List.of();

    @Option(
            names = "--time-limit",
            paramLabel = "TIME",
            converter = Amount.Seconds.class,
            description = "Search time, for example 10min. At the limit, prints the best so far and how much better "
                    + "the rest can be. none searches until the best are proven. Default: 60s.")
    private double secondsMax = 60;

    @Option(names = "--json", description = "Print the plan as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent candidates. Default: the number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--write",
            paramLabel = "FRAMEWORK",
            completionCandidates = Words.class,
            description = "Write the best plan as a configuration: ${COMPLETION-CANDIDATES}.")
    private @Nullable String write;

    @Option(names = "--candidate", paramLabel = "N", description = "Write the N-th best plan. Default: 1.")
    private int candidate = 1;

    private final AtomicBoolean interrupted = new AtomicBoolean();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PATH",
            description = "Output file or folder. Default: configuration to stdout, plan to stderr.")
    private @Nullable String output;

    @Option(
            names = "--resume",
            description = "Resume an interrupted search: simulated candidates are kept in build/reports/SCENARIO.")
    private boolean resume;

    @Mixin
    private final RunningCluster cluster = new RunningCluster();

    PlanCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InterruptedException {
        Goal goal = goal();
        checkWriting();
        cluster.check(line());
        long began = System.nanoTime();
        try {
            Variations variations =
                    ScenarioFiles.variations(file.name(), file.overrides()).without(free);
            try (Planner planner = planner(variations, goal, began)) {
                if (interrupted.get()) {
                    return ExitStatus.INTERRUPTED;
                }
                endInTime(planner, began);
                planner.available(available, write);
                if (write != null && !write.equals(SCENARIO)) {
                    Framework framework = framework(write);
                    planner.restrict(framework.kinds(), candidate -> carried(framework, candidate, variations));
                }
                ConfigurationOutput configuration =
                        new ConfigurationOutput(line(), output, SCENARIO.equals(write), json);
                return plan(planner, variations, configuration);
            }
        } catch (InputException refused) {
            return refuse(ScenarioFiles.problems(file.name().file(), refused));
        }
    }

    /** Ends the search when its time, which includes listing the candidates, is up. */
    private void endInTime(Planner planner, long began) {
        if (secondsMax < Double.POSITIVE_INFINITY) {
            long left = Math.round(secondsMax * 1e9) - (System.nanoTime() - began);
            CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS).execute(planner::endTime);
        }
    }

    /** Lists the candidates, until interrupted or, with a time limit, until a share of it is used up. */
    private Planner planner(Variations variations, Goal goal, long began) throws InputException {
        boolean limited = secondsMax < Double.POSITIVE_INFINITY;
        try (Interruption interruption = new Interruption(() -> interrupted.set(true));
                ProgressBarLine progress = ProgressBarLine.open()) {
            return new Planner(
                    variations,
                    goal,
                    nodesMax,
                    threads,
                    progress,
                    count -> interrupted.get()
                            || limited
                                    && (count > LISTED_MAX
                                            || System.nanoTime() - began > LISTING_SHARE * secondsMax * 1e9));
        }
    }

    private Goal goal() {
        if (!objective.equals("fastest") && !objective.equals("cheapest")) {
            throw refused("--objective " + objective + " is not known; write fastest or cheapest");
        }
        if (nodesMax < 1 || nodesMax > ScenarioKeys.NODES_MAX) {
            throw refused("--max-nodes " + nodesMax + " is not from 1 to " + ScenarioKeys.NODES_MAX);
        }
        return new Goal(Objective.valueOf(objective.toUpperCase(Locale.ROOT)), tokens, deadline, budget, tight);
    }

    /** Values of {@code --write}. */
    static final class Words implements Iterable<String> {
        private static final List<String> ALL =
                Stream.concat(Framework.words().stream(), Stream.of(SCENARIO)).toList();

        @Override
        public Iterator<String> iterator() {
            return ALL.iterator();
        }
    }

    private void checkWriting() {
        List<String> words = Words.ALL;
        if (write != null && !words.contains(write)) {
            throw refused("--write " + write + " is not known; " + Nearest.remedy(write, words));
        }
        for (String software : available) {
            if (!Strategies.software().contains(software)) {
                throw refused("--available " + software + " is not known; "
                        + Nearest.remedy(software, Strategies.software()));
            }
        }
        if (candidate < 1 || candidate > Plan.BEST) {
            throw refused("--candidate " + candidate + " is not from 1 to " + Plan.BEST);
        }
        if (write == null && (output != null || candidate != 1)) {
            throw refused("-o and --candidate go with --write; name what to write, for example --write deepspeed");
        }
        if (write != null && json && output == null) {
            throw refused("--json and --write both print on stdout; name a path with -o");
        }
    }

    /** The chosen candidate as files of a framework; null if the plan found none. */
    private @Nullable Export export(Plan plan, Variations variations) throws InputException {
        if (write == null || plan.best().isEmpty()) {
            return null;
        }
        if (plan.best().size() < candidate) {
            throw refused("--candidate " + candidate + " does not exist; there are "
                    + plan.best().size());
        }
        Candidate chosen = plan.best().get(candidate - 1).candidate();
        Map<String, Object> scenario = variations.file(chosen.settings());
        if (write.equals(SCENARIO)) {
            return Exporter.scenario(plan.scenario(), scenario);
        }
        return Exporter.export(framework(write), variations.with(chosen.settings()), scenario);
    }

    /** The candidate as its framework files express it; throws if they lose a setting that is searched. */
    private Candidate carried(Framework framework, Candidate candidate, Variations variations) throws InputException {
        Export export = Exporter.export(framework, candidate.point(), variations.file(candidate.settings()));
        for (Lost lost : export.lost()) {
            // Without it, the files would train something else.
            if (candidate.settings().containsKey(lost.key()) || lost.key().startsWith("lora.")) {
                throw new InputException(file.name().file(), "for " + framework.title() + ": " + lost.line());
            }
        }
        return export.carried() == null ? candidate : candidate.carriedAs(export.carried());
    }

    /** The hint how to write the best candidate. */
    private static String next(Candidate best) {
        Task.Training task = (Task.Training) best.point().task();
        List<String> able = Arrays.stream(Framework.values())
                .filter(framework -> framework.takes(best.kind(), task.model()))
                .map(Framework::word)
                .toList();
        return able.isEmpty()
                ? "Next: --write scenario prints the best plan as a scenario file."
                : "Next: --write " + String.join(" or ", able)
                        + " searches what those files can express, and writes the best plan.";
    }

    private static Framework framework(String word) {
        return Framework.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private Plan plan(Planner planner) throws InterruptedException, InputException {
        KeptPoints kept = new KeptPoints(Path.of(RunCommand.REPORTS + planner.scenario()));
        boolean keeps = resume || Request.current() == null;
        Map<String, KeptPoints> folders = keeps ? Map.of(planner.scenario(), kept) : Map.of();
        try (KeepingRunner runner = new KeepingRunner(
                        cluster.runner(runners, this, new RunOptions(threads, true)), folders, resume, this::warn);
                ProgressBarLine progress = ProgressBarLine.open()) {
            Plan plan = cluster.isLocal() ? planner.plan(runner, progress) : planner.planElsewhere(runner, progress);
            if (resume) {
                warn("resumed: " + runner.resumed() + " runs reused");
            }
            if (plan.complete()) {
                forget(runner);
            }
            return plan;
        }
    }

    private void forget(KeepingRunner runner) {
        try {
            runner.forget();
        } catch (IOException failure) {
            warn("cannot remove the points kept for --resume: " + failure.getMessage());
        }
    }

    private int plan(Planner planner, Variations variations, ConfigurationOutput configuration)
            throws InterruptedException, InputException {
        Plan plan;
        try (Interruption interruption = new Interruption(planner::interrupt)) {
            plan = plan(planner);
            String text = json ? PlanJson.write(plan, variations) : PlanText.write(plan, Terminal.width());
            PrintWriter words = write != null && configuration.isTerminal() ? err() : out();
            words.print(text);
            if (!json && write == null && !plan.best().isEmpty()) {
                words.print(new Paragraphs(Terminal.width())
                        .line(next(plan.best().get(0).candidate())));
            }
            words.flush();
            interruption.finished();
        }
        Export export = export(plan, variations);
        if (export != null) {
            configuration.write(export);
        }
        if (plan.isInterrupted()) {
            return ExitStatus.INTERRUPTED;
        }
        return !plan.best().isEmpty() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}
