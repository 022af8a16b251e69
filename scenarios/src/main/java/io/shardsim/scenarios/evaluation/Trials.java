package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Assumption;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Trial;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs that try other settings, and other choices for what is left open, for the run that a scenario is about: the only one, or the fastest of a sweep. They are points like any other, for
 * whoever runs those.
 *
 * <p>What they cost is bounded: at most {@value #TRIALS_MAX} settings, and for settings and choices each about {@value #EVENTS_MAX} events, taken that each executes as many
 * as the run itself and has as large a plan. The largest levers come first, and the same run has the same trials everywhere.
 */
public final class Trials {
    private static final int TRIALS_MAX = 16;
    private static final long EVENTS_MAX = 30_000_000;

    /** What it takes to plan a layer of a micro-batch, in executed events of 0.1 us: 7 to 14 us, measured with ZeRO-3 and FSDP of 48 layers. */
    private static final long EVENTS_PER_LAYER = 100;

    private final RunResult run;
    private final Task.@Nullable Training training;
    private final List<Lever> levers;
    private final List<Assumptions.Open> open;
    private final List<ScenarioPoint> points = new ArrayList<>();

    private Trials(ScenarioPoint point, RunResult run, List<Lever> levers, List<Assumptions.Open> open) {
        this.run = run;
        training = training(point, run);
        this.levers = levers;
        this.open = open;
        levers.forEach(lever ->
                points.add(settled(point.with(lever.settings(), lever.cluster(), lever.task()), lever.task())));
        open.forEach(each -> each.others().forEach(other -> points.add(other.point())));
    }

    /**
     * Those of a scenario that ran.
     *
     * @param results one for each point of the scenario, in the same order
     */
    public static Trials of(Scenario scenario, List<RunResult> results) {
        int best = Math.max(0, ScenarioResult.indexOfFastest(results));
        return affordable(scenario.points().get(best), results.get(best));
    }

    private static Trials affordable(ScenarioPoint point, RunResult run) {
        Task.Training training = training(point, run);
        if (training == null) {
            return new Trials(point, run, List.of(), List.of());
        }
        List<Lever> all = Levers.of(point, training, run);
        List<Assumptions.Open> open = Assumptions.of(point, training, run);
        long affordable = Math.max(run.isTight() ? 1 : 0, Math.min(TRIALS_MAX, EVENTS_MAX / cost(training, run)));
        int others = open.stream().mapToInt(each -> each.others().size()).sum();
        return new Trials(
                point,
                run,
                all.subList(0, (int) Math.min(all.size(), affordable)),
                others <= affordable
                        ? open
                        : open.stream()
                                .map(each -> new Assumptions.Open(each.taken(), List.of()))
                                .toList());
    }

    /** What a run costs, in executed events. */
    private static long cost(Task.Training training, RunResult run) {
        long layers =
                (long) training.model().layers() * run.facts().model().batch().accumulationSteps();
        return run.effort().executedEvents() + EVENTS_PER_LAYER * layers;
    }

    private static Task.@Nullable Training training(ScenarioPoint point, RunResult run) {
        return point.task() instanceof Task.Training task && run.fits() ? task : null;
    }

    /** All that may be tried for a run, whatever it costs, and every further setting of it turned by one notch. */
    public static Trials ofEverySetting(ScenarioPoint point, RunResult run) {
        Task.Training training = training(point, run);
        if (training == null) {
            return new Trials(point, run, List.of(), List.of());
        }
        List<Lever> all = new ArrayList<>(Levers.of(point, training, run));
        all.addAll(Notches.of(point, training, run.facts().model().microBatch(), all));
        return new Trials(point, run, all, List.of());
    }

    /**
     * A trial, and whether it changed anything.
     *
     * @param same whether it ran alike down to every total and time
     */
    public record Tried(Trial trial, boolean same) {}

    /**
     * What the trials came to, in their order.
     *
     * @param results what came of a point; null where nothing did
     */
    public List<Tried> tried(Function<ScenarioPoint, @Nullable RunResult> results) {
        List<Tried> all = new ArrayList<>();
        for (int i = 0; i < levers.size(); i++) {
            RunResult result = results.apply(points.get(i));
            if (result != null) {
                all.add(new Tried(trial(levers.get(i), result), Objects.equals(result.digest(), run.digest())));
            }
        }
        return all;
    }

    private static double rate(RunResult run) {
        return run.training() == null ? 0 : run.training().samplesPerSecond();
    }

    /** A given micro-batch is kept where it fits. */
    private static ScenarioPoint settled(ScenarioPoint point, Task.Training task) {
        return PointSimulation.fits(point)
                ? point
                : point.with(
                        point.values(),
                        point.cluster(),
                        task.with(task.strategy(), task.execution().withMicroBatch(null)));
    }

    /** Whether a training fits in memory in place of a point's. */
    static boolean fits(ScenarioPoint point, Task.Training task) {
        return PointSimulation.fits(point.with(Map.of(), point.cluster(), task));
    }

    /** The run that is tried otherwise. */
    public RunResult run() {
        return run;
    }

    /** What is to be run. */
    public List<ScenarioPoint> points() {
        return points;
    }

    /** What some of the points try, in words. */
    public List<String> titles(Predicate<ScenarioPoint> which) {
        List<String> titles = new ArrayList<>();
        for (int i = 0; i < levers.size(); i++) {
            if (which.test(points.get(i))) {
                titles.add(levers.get(i).title());
            }
        }
        return titles;
    }

    /**
     * The run with what its trials came to.
     *
     * @param results what came of a point; null where nothing did
     */
    public RunResult with(Function<ScenarioPoint, @Nullable RunResult> results) {
        return run.withTried(new RunFacts.Tried(
                tried(results).stream().map(Tried::trial).toList(),
                open.stream().map(each -> assumption(each, results)).toList(),
                run.facts().radius(),
                run.facts().path()));
    }

    private static Assumption assumption(Assumptions.Open open, Function<ScenarioPoint, @Nullable RunResult> results) {
        List<Trial> others = new ArrayList<>();
        for (Assumptions.Choice other : open.others()) {
            RunResult result = results.apply(other.point());
            if (result != null) {
                others.add(new Trial(
                        other.title(),
                        other.settings(),
                        result.facts().ledger().fit(),
                        rate(result),
                        result.facts().model().microBatch()));
            }
        }
        return new Assumption(open.taken(), others);
    }

    private Trial trial(Lever lever, RunResult tried) {
        int microBatch = tried.facts().model().microBatch();
        Map<String, String> settings = new LinkedHashMap<>(lever.settings());
        boolean given = training != null && training.microBatch() != null;
        if (microBatch != run.facts().model().microBatch() && (given || settings.isEmpty())) {
            settings.put("training.micro_batch", String.valueOf(microBatch));
        }
        return new Trial(lever.title(), settings, tried.facts().ledger().fit(), rate(tried), microBatch);
    }
}
