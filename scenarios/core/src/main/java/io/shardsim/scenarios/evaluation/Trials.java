package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Assumption;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Trial;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.run.StepBound;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Trials for a scenario's run, or for the fastest run of a sweep: other settings, and alternatives to what was assumed. They are ordinary
 * points for a runner.
 *
 * <p>Their cost is bounded, estimated from their plans. Trials with the highest possible gain for their cost come first. A trial whose step cannot
 * gain what advice must is cut short or skipped. The same run has the same trials everywhere.
 */
public final class Trials {
    private static final int TRIALS_MAX = 16;

    /** Divisor of the events of a scenario's points that gives the budget of trials. */
    private static final int SHARE = 5;

    private static final long EVENTS_MIN = 700_000;
    private static final long EVENTS_MAX = 30_000_000;

    /** Minimum budget of trials for a scenario with few points, as a number of runs, up to a bound. */
    private static final int RUNS_MIN = 2;

    private static final long EVENTS_OF_RUNS_MAX = 5_000_000;

    /** Factor on the estimated events after which a trial is given up. */
    private static final int SLACK = 2;

    /** Cost of planning a layer of a micro-batch, in executed events of 0.1 us: 7 to 14 us, measured with ZeRO-3 and FSDP of 48 layers. */
    private static final long EVENTS_PER_LAYER = 100;

    /** Exponent of a trial's cost in its ranking; of two equal gains the cheaper trial comes first. */
    private static final double COST_EXPONENT = 0.15;

    private static final double PS_PER_SECOND = 1e12;

    private final RunResult run;
    private final Task.@Nullable Training training;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Assumptions.Open> open = new ArrayList<>();
    private final List<ScenarioPoint> points = new ArrayList<>();
    private final IdentityHashMap<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();
    /** Results of other points. */
    private final IdentityHashMap<ScenarioPoint, RunResult> known = new IdentityHashMap<>();
    /** Trials that would cost too much, in words. */
    private final List<String> untried = new ArrayList<>();

    /**
     * A setting, with estimates before it runs.
     *
     * @param events estimated events
     * @param leastPs lower bound of its step time; 0 if it does not fit [ps]
     */
    private record Attempt(
            TriedSettings lever, ScenarioPoint point, MemoryFit fit, int microBatch, double events, long leastPs) {}

    private Trials(RunResult run, Task.@Nullable Training training) {
        this.run = run;
        this.training = training;
    }

    /** Returns the events that a scenario's trials may execute: a share of what its points executed, but not below the minimum. */
    public static long eventsMax(List<RunResult> results) {
        long all = results.stream().mapToLong(Trials::executed).sum();
        return Math.max(Math.min(EVENTS_MAX, all / SHARE), eventsMin(results));
    }

    /** Returns the minimum budget of events for a scenario's trials. */
    public static long eventsMin(List<RunResult> results) {
        RunResult run = results.get(Math.max(0, ScenarioResult.indexOfFastest(results)));
        return Math.max(EVENTS_MIN, Math.min(EVENTS_OF_RUNS_MAX, RUNS_MIN * executed(run)));
    }

    private static long executed(RunResult run) {
        return run.effort().executedEvents();
    }

    /**
     * Returns trials for a scenario that ran.
     *
     * @param results one for each point of the scenario, in the same order
     * @param eventsMax events that they may execute; 0 for no trials, {@link Long#MAX_VALUE} for all, each to its end
     */
    public static Trials of(Scenario scenario, List<RunResult> results, long eventsMax) {
        int best = Math.max(0, ScenarioResult.indexOfFastest(results));
        ScenarioPoint point = scenario.points().get(best);
        RunResult run = results.get(best);
        Task.Training training = training(point, run);
        Trials trials = new Trials(run, training);
        if (training == null) {
            return trials;
        }
        trials.open.addAll(Assumptions.of(point, training, run));
        Map<Object, RunResult> others = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            others.put(question(scenario.points().get(i)), results.get(i));
        }
        trials.choose(
                eventsMax == 0 ? List.of() : AdvisedSettings.of(point, training, run),
                new Budget(eventsMax, TRIALS_MAX, 0),
                others);
        return trials;
    }

    /** Returns everything that determines the result of a point. */
    private static Object question(ScenarioPoint point) {
        return List.of(point.cluster(), point.task(), point.collectives());
    }

    /** Estimates a lever; keeps a given micro-batch if it fits. */
    private static Attempt attempt(TriedSettings lever, Cost cost) {
        TriedSettings open = lever;
        TrainingPoint tried = TrainingPoint.of(lever.point());
        boolean kept = lever.point().given().containsKey(TriedSettings.MICRO_BATCH)
                && !lever.settings().containsKey(TriedSettings.MICRO_BATCH);
        if (!tried.fits() && kept) {
            open = TriedSettings.ofOpen(lever.title(), lever.point(), lever.settings())
                    .orElse(lever);
            tried = TrainingPoint.of(open.point());
        }
        return new Attempt(
                lever,
                open.point(),
                tried.found().fit(),
                tried.job().microBatch(),
                cost.of(tried),
                tried.fits() ? StepBound.ps(tried.setup(Set.of())) : 0);
    }

    private static Task.@Nullable Training training(ScenarioPoint point, RunResult run) {
        return point.task() instanceof Task.Training task && run.fits() ? task : null;
    }

    /** Returns all trials of a run whatever they cost, including every further setting moved one notch. */
    public static Trials ofEverySetting(ScenarioPoint point, RunResult run) {
        return ofEverySetting(point, run, Long.MAX_VALUE);
    }

    /** Returns trials of every setting of a run within a budget of events, the highest gain for its cost first. */
    public static Trials ofEverySetting(ScenarioPoint point, RunResult run, long eventsMax) {
        Task.Training task = training(point, run);
        Trials trials = new Trials(run, task);
        if (task != null) {
            List<TriedSettings> all = new ArrayList<>(AdvisedSettings.of(point, task, run));
            all.addAll(SettingSensitivity.of(point, task, run.facts().model().microBatch(), all));
            trials.choose(all, new Budget(eventsMax, all.size(), Math.max(EVENTS_MIN, executed(run))), Map.of());
        }
        return trials;
    }

    /** Extrapolates a run's cost: equal for each micro-batch, and one more for the start and end of the step. */
    private record Cost(double events, int microBatches) {
        double of(TrainingPoint other) {
            return other.fits() ? events * (1 + other.job().accumulationSteps()) / (1 + microBatches) : 0;
        }
    }

    /**
     * Limits on trials.
     *
     * @param events events of all trials
     * @param trials number of trials
     * @param ofOneMin events that each may execute, however few were estimated, times {@link #SLACK}
     */
    private record Budget(long events, int trials, long ofOneMin) {}

    /** Chooses which trials run, and within which limits. */
    private void choose(List<TriedSettings> levers, Budget budget, Map<Object, RunResult> others) {
        long eventsMax = budget.events();
        boolean bounded = eventsMax < Long.MAX_VALUE;
        RunFacts.Training model = run.facts().model();
        long planning =
                EVENTS_PER_LAYER * Objects.requireNonNull(training).model().layers() * model.accumulationSteps();
        Cost cost = new Cost(executed(run), model.accumulationSteps());
        long plans = bounded ? eventsMax / planning : Long.MAX_VALUE;
        long planned = bounded ? Math.min(budget.trials(), plans) : levers.size();
        for (TriedSettings lever : levers) {
            if (attempts.size() < Math.max(planned, run.isTight() ? 1 : 0)) {
                attempts.add(attempt(lever, cost));
            } else {
                untried.add(lever.title());
            }
        }
        List<Chosen> chosen = new ArrayList<>();
        double left = eventsMax;
        for (Attempt attempt : promising(bounded)) {
            RunResult result = others.get(question(attempt.point()));
            if (result != null) {
                known.put(attempt.point(), result);
            } else if (attempt.events() <= left || (run.isTight() && chosen.isEmpty())) {
                chosen.add(new Chosen(attempt.point(), attempt.events(), !bounded || makesRoom(attempt)));
                left = Math.max(0, left - attempt.events());
            } else {
                untried.add(attempt.lever().title());
            }
        }
        chooseOthers(cost, plans > attempts.size() ? left : -1, eventsMax > 0, chosen);
        for (Chosen each : chosen) {
            points.add(each.point());
            long executed = bounded ? (long) (SLACK * Math.max(each.events(), budget.ofOneMin())) : Long.MAX_VALUE;
            limits.put(each.point(), new RunLimits(executed, each.toItsEnd() ? null : this::latestPs));
        }
    }

    /**
     * A chosen trial.
     *
     * @param events estimated events
     */
    private record Chosen(ScenarioPoint point, double events, boolean toItsEnd) {}

    /** Returns settings that fit and may gain enough: those that free memory in a tight run first, then by gain for their cost. */
    private List<Attempt> promising(boolean bounded) {
        return attempts.stream()
                .filter(attempt -> attempt.fit().fits() && !(bounded && isLate(attempt, attempt.leastPs())))
                .sorted(Comparator.<Attempt, Boolean>comparing(attempt -> !makesRoom(attempt))
                        .thenComparing(attempt -> -gainMax(attempt) / StrictMath.pow(attempt.events(), COST_EXPONENT)))
                .toList();
    }

    private double gainMax(Attempt attempt) {
        return stepPs(run) / attempt.leastPs() - 1;
    }

    private boolean makesRoom(Attempt attempt) {
        return run.isTight() && attempt.fit().isRoomy();
    }

    /** Returns the latest end of a step that gains what advice must [ps]. */
    private long latestPs() {
        return (long) (stepPs(run) / (1 + Advice.GAIN_MIN));
    }

    private boolean isLate(Attempt attempt, double endPs) {
        return endPs > latestPs() && !makesRoom(attempt);
    }

    /** Chooses which assumptions are priced; the others are only named. */
    private void chooseOthers(Cost cost, double eventsMax, boolean tell, List<Chosen> chosen) {
        double left = eventsMax;
        for (int i = 0; i < open.size(); i++) {
            Assumptions.Open each = open.get(i);
            double events = left >= 0
                    ? each.others().stream()
                            .mapToDouble(other -> cost.of(TrainingPoint.of(other.point())))
                            .sum()
                    : 0;
            if (tell && events <= left) {
                left -= events;
                each.others()
                        .forEach(other -> chosen.add(
                                new Chosen(other.point(), events / each.others().size(), true)));
                continue;
            }
            open.set(i, new Assumptions.Open(each.taken(), List.of()));
            if (tell && !each.others().isEmpty()) {
                untried.add("other than " + each.taken());
            }
        }
    }

    /**
     * A trial, and whether it had an effect.
     *
     * @param same whether every total and time equals the run's
     */
    public record Tried(Trial trial, boolean same) {}

    /** Results of the points that ran, and why others did not run to their end. */
    public interface Outcomes {
        @Nullable
        RunResult result(ScenarioPoint point);

        @Nullable
        RunLimitException givenUp(ScenarioPoint point);
    }

    /** Returns the trials' results, in the order of the settings. */
    public List<Tried> tried(Outcomes outcomes) {
        return tried(outcomes, new ArrayList<>());
    }

    private List<Tried> tried(Outcomes outcomes, List<String> tooLong) {
        List<Tried> all = new ArrayList<>();
        for (Attempt attempt : attempts) {
            ScenarioPoint point = attempt.point();
            RunResult result = known.containsKey(point) ? known.get(point) : within(point, outcomes);
            RunLimits of = limits.get(point);
            boolean late = result == null
                    ? of == null ? isLate(attempt, attempt.leastPs()) : isGivenUp(outcomes, point, true)
                    : of != null && of.endMaxPs() != null && isLate(attempt, stepPs(result));
            if (late || !attempt.fit().fits()) {
                all.add(new Tried(trial(attempt.lever(), attempt.fit(), 0, attempt.microBatch()), false));
            } else if (result != null) {
                Trial trial = trial(
                        attempt.lever(),
                        result.facts().ledger().fit(),
                        rate(result),
                        result.facts().model().microBatch());
                all.add(new Tried(trial, Objects.equals(result.digest(), run.digest())));
            } else if (of != null && isGivenUp(outcomes, point, false)) {
                tooLong.add(attempt.lever().title());
            }
        }
        return all;
    }

    /** Returns the result of a point; null if it exceeded its limits, also if its runner ignores limits. */
    private @Nullable RunResult within(ScenarioPoint point, Outcomes outcomes) {
        RunResult result = outcomes.result(point);
        RunLimits of = limits.get(point);
        return result == null || of == null || executed(result) <= of.eventsMax() ? result : null;
    }

    private static boolean isGivenUp(Outcomes outcomes, ScenarioPoint point, boolean late) {
        RunLimitException why = outcomes.givenUp(point);
        return why == null ? !late && outcomes.result(point) != null : why.isLate() == late;
    }

    private static double stepPs(RunResult result) {
        return result.step().breakdown().stepSeconds() * PS_PER_SECOND;
    }

    private static double rate(RunResult run) {
        return run.training() == null ? 0 : run.training().samplesPerSecond();
    }

    /** Returns the run that trials compare with. */
    public RunResult run() {
        return run;
    }

    /** Returns the points to run. */
    public List<ScenarioPoint> points() {
        return points;
    }

    /** Returns the limits of a point. */
    RunLimits limits(ScenarioPoint point) {
        return Objects.requireNonNull(limits.get(point), "another run's point");
    }

    /** Wraps a runner so that it gives up each point beyond its own limits. */
    public ScenarioRunner within(ScenarioRunner runner) {
        return new ForwardingRunner(runner) {
            @Override
            public RunResult run(ScenarioPoint point) throws InterruptedException {
                return runner().run(point, limits(point));
            }
        };
    }

    /** Returns titles of some points' settings. */
    public List<String> titles(Predicate<ScenarioPoint> which) {
        return attempts.stream()
                .filter(attempt -> which.test(attempt.point()))
                .map(attempt -> attempt.lever().title())
                .toList();
    }

    /** Returns the run with its trials added. */
    public RunResult with(Outcomes outcomes) {
        List<String> left = new ArrayList<>(untried);
        List<Trial> trials = tried(outcomes, left).stream().map(Tried::trial).toList();
        return run.withTried(run.facts()
                .tried()
                .with(
                        trials,
                        left,
                        open.stream().map(each -> assumption(each, outcomes)).toList()));
    }

    private Assumption assumption(Assumptions.Open open, Outcomes outcomes) {
        List<Trial> others = new ArrayList<>();
        for (TriedSettings other : open.others()) {
            RunResult result = within(other.point(), outcomes);
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

    private Trial trial(TriedSettings lever, MemoryFit fit, double samplesPerSecond, int microBatch) {
        Map<String, String> settings = new LinkedHashMap<>(lever.settings());
        boolean given = training != null && training.microBatch() != null;
        if (microBatch != run.facts().model().microBatch() && (given || settings.isEmpty())) {
            settings.put(TriedSettings.MICRO_BATCH, String.valueOf(microBatch));
        }
        return new Trial(lever.title(), settings, fit, samplesPerSecond, microBatch);
    }
}
