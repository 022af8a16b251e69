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

/** Runs scenarios, then trials of other settings for one run of each scenario. */
public final class AdvisedRuns {
    private final List<Scenario> scenarios;
    private final PointRuns runs;

    /** State: guarded by this; null until there are trials. */
    private @Nullable PointRuns tries;

    /** Whether a trial ran out of heap. */
    private boolean outOfHeap;

    private final IdentityHashMap<Scenario, Trials> trials = new IdentityHashMap<>();
    private final IdentityHashMap<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();

    public AdvisedRuns(List<Scenario> scenarios, PointRuns runs) {
        this.scenarios = scenarios;
        this.runs = runs;
    }

    /**
     * Tries other settings for each scenario whose points are all done, until a trial runs out of heap.
     *
     * @param eventsMax maximum events of a scenario's trials
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

    /** Ends all trials when one runs out of heap: they are optional, and the others would only delay the report. */
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

    /** Returns the points of a scenario's trials. */
    public List<ScenarioPoint> tried(Scenario scenario) {
        Trials of = trials.get(scenario);
        return of == null ? List.of() : of.points();
    }

    /** Cancels the runs and starts no more. */
    public synchronized void interrupt() {
        runs.interrupt();
        if (tries != null) {
            tries.interrupt();
        }
    }

    /** Returns failures of the runs, then of their trials. */
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

    /** Returns whether a trial failed. A setting that makes the run too large to simulate is neither advice nor a failure. */
    public synchronized boolean anyTryFailed() {
        return outOfHeap || (tries != null && !tries.simulationFailures().isEmpty());
    }

    /** Returns results of finished points in file order, one of them with its trials. */
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
