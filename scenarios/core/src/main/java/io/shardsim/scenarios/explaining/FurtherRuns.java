package io.shardsim.scenarios.explaining;

import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.TooLargeException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs points to answer a question, several concurrently, until interrupted. */
public final class FurtherRuns {
    private final RunnerFactory runners;
    private final int threads;

    /** State: guarded by this. */
    private boolean interrupted;

    private @Nullable PointRuns running;

    public FurtherRuns(RunnerFactory runners, int threads) {
        this.runners = runners;
        this.threads = threads;
    }

    /**
     * Runs all points; single points may fail.
     *
     * @param options changes the options of a plain run
     * @return null if interrupted
     */
    @Nullable
    PointRuns run(List<ScenarioPoint> points, UnaryOperator<RunOptions> options, ProgressListener progress) {
        return run(points, options, UnaryOperator.identity(), progress);
    }

    private @Nullable PointRuns run(
            List<ScenarioPoint> points,
            UnaryOperator<RunOptions> options,
            UnaryOperator<ScenarioRunner> limits,
            ProgressListener progress) {
        PointRuns runs = new PointRuns(List.of(new Scenario("question", "", true, points)), threads, true);
        synchronized (this) {
            if (interrupted) {
                return null;
            }
            running = runs;
        }
        if (!points.isEmpty()) {
            try (ScenarioRunner runner = runners.create(options.apply(new RunOptions(threads, true)))) {
                runs.runAll(limits.apply(runner), progress);
            }
        }
        return runs.interrupted() ? null : runs;
    }

    /**
     * Runs all points, none of which may fail.
     *
     * @throws TooLargeException if runs are too large
     * @throws IllegalStateException if a run violates an invariant of the model
     */
    @Nullable
    public PointRuns runWhole(
            List<ScenarioPoint> points, UnaryOperator<RunOptions> options, ProgressListener progress) {
        return whole(run(points, options, progress));
    }

    /** Runs trials of other settings, each within its limits; none may fail. */
    @Nullable
    PointRuns runWhole(Trials trials, ProgressListener progress) {
        return whole(run(trials.points(), options -> options, trials::within, progress));
    }

    private static @Nullable PointRuns whole(@Nullable PointRuns runs) {
        TooLargeException refusal = runs == null ? null : runs.refusal();
        if (refusal != null) {
            throw refusal;
        }
        if (runs != null && !runs.failures().isEmpty()) {
            throw new IllegalStateException(runs.failures().get(0));
        }
        return runs;
    }

    /**
     * Runs intermediate points between two runs. Also simulates points that do not fit in memory, which may lie in between.
     *
     * @param eventsMax maximum executed events per run; a run beyond it is given up
     * @return null if interrupted
     */
    @Nullable
    PointRuns runBetween(List<ScenarioPoint> points, long eventsMax, ProgressListener progress) {
        return run(
                points,
                options -> options.running(RunOptions.TooLarge.SIMULATED).within(eventsMax),
                progress);
    }

    synchronized boolean isInterrupted() {
        return interrupted;
    }

    /** Cancels the runs and starts no more. */
    public synchronized void interrupt() {
        interrupted = true;
        if (running != null) {
            running.interrupt();
        }
    }
}
