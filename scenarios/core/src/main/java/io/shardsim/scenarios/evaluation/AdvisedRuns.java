package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.run.RunLimits;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The runs of some scenarios, and after them those that try other settings for one run of each scenario. */
public final class AdvisedRuns {
    private final List<Scenario> scenarios;
    private final PointRuns runs;

    /** State: guarded by this; null until there is something to try. */
    private @Nullable PointRuns tries;

    /** Whether the heap was too small for what was tried. */
    private boolean outOfHeap;

    private final IdentityHashMap<Scenario, Trials> trials = new IdentityHashMap<>();
    private final IdentityHashMap<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();

    public AdvisedRuns(List<Scenario> scenarios, PointRuns runs) {
        this.scenarios = scenarios;
        this.runs = runs;
    }

    /**
     * Tries settings for each scenario all of whose points are done, until one of them needs more heap than there is.
     *
     * @param eventsMax how many events that may take for a scenario
     */
    public void tryOtherSettings(
            ScenarioRunner runner, int threads, ToLongFunction<Scenario> eventsMax, ProgressListener progress) {
        List<Scenario> toTry = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<RunResult> results = runs.results(scenario);
            if (results.size() == scenario.points().size()) {
                Trials of = Trials.of(scenario, results, eventsMax.applyAsLong(scenario));
                trials.put(scenario, of);
                toTry.add(new Scenario(scenario.name(), scenario.file(), true, of.points()));
                of.points().forEach(point -> limits.put(point, of.limits(point)));
            }
        }
        PointRuns all = new PointRuns(toTry, threads, true);
        synchronized (this) {
            if (runs.interrupted()) {
                return;
            }
            tries = all;
        }
        if (all.total() > 0) {
            all.runAll(new EndedByFullHeap(runner), progress);
        }
    }

    /** Nothing that was asked for waits for the trials: where one does not find room, the others would hold up the report. */
    private final class EndedByFullHeap extends ForwardingRunner {
        EndedByFullHeap(ScenarioRunner runner) {
            super(runner);
        }

        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            try {
                return runner().run(point, Objects.requireNonNull(limits.get(point), "no trial"));
            } catch (RuntimeException | Error failure) {
                if (OutOfHeap.isCauseOf(failure)) {
                    endTries();
                }
                throw failure;
            }
        }
    }

    private synchronized void endTries() {
        if (tries != null && !tries.interrupted()) {
            outOfHeap = true;
            tries.interrupt();
        }
    }

    /** The points that tried other settings for a scenario. */
    public List<ScenarioPoint> tried(Scenario scenario) {
        Trials of = trials.get(scenario);
        return of == null ? List.of() : of.points();
    }

    /** Stops what runs and begins nothing further. */
    public synchronized void interrupt() {
        runs.interrupt();
        if (tries != null) {
            tries.interrupt();
        }
    }

    /** What failed of the runs, and then of what was tried for them. */
    public synchronized List<String> failures() {
        List<String> failures = new ArrayList<>(runs.failures());
        if (tries != null) {
            failures.addAll(tries.simulationFailures());
        }
        if (outOfHeap) {
            failures.add("not every other setting was tried: " + OutOfHeap.words());
        }
        return failures;
    }

    /** Whether an attempt failed. A setting that would make the run too large is no advice, and no failure either. */
    public synchronized boolean anyTryFailed() {
        return outOfHeap || (tries != null && !tries.simulationFailures().isEmpty());
    }

    /** Results of the points that are done, in the order of the file, one of them with what was tried for it. */
    public synchronized List<RunResult> results(Scenario scenario) {
        List<RunResult> results = new ArrayList<>(runs.results(scenario));
        Trials of = trials.get(scenario);
        PointRuns done = tries;
        if (of != null && done != null) {
            results.replaceAll(result -> result.is(of.run()) ? of.with(done) : result);
        }
        return results;
    }
}
