package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.KeyPlace;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs points of scenarios on several threads, largest cluster first so that no long run is left for last, and keeps their results in file order. */
public final class PointRuns implements Trials.Outcomes {
    private static final long LOOK_MILLIS = 250;
    /** Looks between two progress updates: one second. */
    private static final int LOOKS_TO_SHOW = 4;

    private static final String FAILED = "simulation failed: ";
    /** Message of last resort, if the heap has no room for the point's name. */
    private static final String FAILED_WITHOUT_HEAP = FAILED + OutOfHeap.words();

    private final boolean carryOn;
    private final List<ScenarioPoint> points = new ArrayList<>();
    private final IdentityHashMap<ScenarioPoint, String> fileOf = new IdentityHashMap<>();
    private final double totalWeight;
    private final int atOnce;

    /** State: guarded by this. */
    private final IdentityHashMap<ScenarioPoint, RunResult> results = new IdentityHashMap<>();

    private double finishedWeight;
    /** Lists preallocated for every point. */
    private final List<String> failures;

    private final List<String> simulationFailures;
    private final IdentityHashMap<ScenarioPoint, RunLimitException> givenUp = new IdentityHashMap<>();
    /** Points too large to simulate. */
    private final IdentityHashMap<ScenarioPoint, TooLargeException> refusals = new IdentityHashMap<>();

    private @Nullable TooLargeException refusal;
    /** Problem of a catalog file; null if there is none. */
    private @Nullable ClassPathException broken;

    private boolean interrupted;
    private final ExecutorService workers;

    public PointRuns(List<Scenario> scenarios, int threads) {
        this(scenarios, threads, false);
    }

    /** @param carryOn whether to run the other points after one fails */
    public PointRuns(List<Scenario> scenarios, int threads, boolean carryOn) {
        this.carryOn = carryOn;
        for (Scenario scenario : scenarios) {
            points.addAll(scenario.points());
            scenario.points().forEach(point -> fileOf.put(point, scenario.file()));
        }
        failures = new ArrayList<>(points.size());
        simulationFailures = new ArrayList<>(points.size());
        totalWeight = points.stream().mapToDouble(ScenarioPoint::weight).sum();
        atOnce = Math.max(1, Math.min(threads, points.size()));
        workers = Executors.newFixedThreadPool(atOnce, task -> {
            Thread thread = new Thread(task, "point");
            thread.setDaemon(true);
            return thread;
        });
    }

    public int total() {
        return points.size();
    }

    /**
     * Runs every point; returns when all are done, when one failed and those already started are done, or when interrupted.
     *
     * @throws ClassPathException if a point needs a broken catalog file
     */
    public void runAll(ScenarioRunner runner, ProgressListener progress) {
        show(progress, runner);
        for (ScenarioPoint point : ScenarioPoint.largestFirst(points)) {
            synchronized (this) {
                if (interrupted) {
                    break;
                }
                workers.execute(() -> runOne(runner, point, progress));
            }
        }
        workers.shutdown();
        try {
            for (int looks = 1; !workers.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS); looks++) {
                if (interrupted()) {
                    // Threads that do not stop within that time are abandoned: their results would not be kept.
                    workers.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                }
                if (looks % LOOKS_TO_SHOW == 0) {
                    show(progress, runner);
                }
            }
        } catch (InterruptedException cancelled) {
            interrupt();
        }
        synchronized (this) {
            if (broken != null) {
                throw broken;
            }
        }
    }

    private void runOne(ScenarioRunner runner, ScenarioPoint point, ProgressListener progress) {
        synchronized (this) {
            if (interrupted || broken != null || (!carryOn && !failures.isEmpty())) {
                return;
            }
        }
        try {
            RunResult result = runner.run(point);
            synchronized (this) {
                results.put(point, result);
                finishedWeight += point.weight();
            }
            show(progress, runner);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RunLimitException tooLong) {
            giveUp(point, tooLong);
        } catch (TooLargeException tooLarge) {
            refused(point, tooLarge);
        } catch (ClassPathException file) {
            breaks(file);
        } catch (RuntimeException | Error failure) {
            failed(point, failure);
        }
    }

    private synchronized void giveUp(ScenarioPoint point, RunLimitException tooLong) {
        givenUp.put(point, tooLong);
    }

    /** Returns whether a point was given up for exceeding its limit on events or simulated time. */
    public synchronized boolean isGivenUp(ScenarioPoint point) {
        return givenUp.containsKey(point);
    }

    /** Returns why a point was given up for exceeding its limit on events or simulated time; null if it was not. */
    @Override
    public synchronized @Nullable RunLimitException givenUp(ScenarioPoint point) {
        return givenUp.get(point);
    }

    private synchronized void refused(ScenarioPoint point, TooLargeException tooLarge) {
        if (!interrupted) {
            refusals.put(point, tooLarge);
            refusal = refusal == null ? tooLarge : refusal;
            String file = fileOf.getOrDefault(point, "");
            failures.add(
                    new Problem(file, KeyPlace.of(file, tooLarge.keys()), where(point) + " " + tooLarge.getMessage())
                            .toString());
        }
    }

    private static String where(ScenarioPoint point) {
        return point.scenario() + (point.values().isEmpty() ? "" : " " + point.values());
    }

    private synchronized void failed(ScenarioPoint point, Throwable failure) {
        if (interrupted) {
            return;
        }
        String words = FAILED_WITHOUT_HEAP;
        try {
            words = FAILED + where(point) + ": " + why(failure);
        } catch (OutOfMemoryError again) {
            // Keep the preallocated message.
        }
        failures.add(words);
        simulationFailures.add(words);
    }

    private synchronized void breaks(ClassPathException file) {
        broken = broken == null ? file : broken;
    }

    private String why(Throwable failure) {
        if (OutOfHeap.isCauseOf(failure)) {
            return OutOfHeap.words() + (atOnce > 1 ? ", or run fewer points at once with --threads 1" : "");
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    private void show(ProgressListener progress, ScenarioRunner runner) {
        double finished;
        int count;
        synchronized (this) {
            finished = finishedWeight;
            count = results.size();
        }
        String standing = runner.standing();
        progress.show(
                finished / totalWeight,
                count + " of " + points.size() + " points" + (standing.isEmpty() ? "" : " (" + standing + ")"));
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        synchronized (this) {
            interrupted = true;
        }
        workers.shutdownNow();
    }

    public synchronized boolean interrupted() {
        return interrupted;
    }

    public synchronized int done() {
        return results.size();
    }

    public synchronized List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns failures, except of points too large to simulate. */
    public synchronized List<String> simulationFailures() {
        return List.copyOf(simulationFailures);
    }

    /** Returns whether every failure is a point too large to simulate: the input is at fault, not the run. */
    public synchronized boolean onlyRefused() {
        return !refusals.isEmpty() && simulationFailures.isEmpty();
    }

    /** Returns why all failed points are too large to simulate; null if one failed for another reason, or none failed. */
    public synchronized @Nullable TooLargeException refusal() {
        return onlyRefused() ? refusal : null;
    }

    /** Returns why a point is too large to simulate; null if it is not. */
    public synchronized @Nullable TooLargeException refusal(ScenarioPoint point) {
        return refusals.get(point);
    }

    /** Returns the result of a point; null if it is not done. */
    @Override
    public synchronized @Nullable RunResult result(ScenarioPoint point) {
        return results.get(point);
    }

    /**
     * Returns the result of a finished point.
     *
     * @throws RunLimitException if it was given up for exceeding its limits
     */
    public synchronized RunResult resultOf(ScenarioPoint point) {
        RunLimitException tooLong = givenUp.get(point);
        if (tooLong != null) {
            throw tooLong;
        }
        return Objects.requireNonNull(results.get(point), "no result");
    }

    /** Returns results of finished points, in file order. */
    public synchronized List<RunResult> results(Scenario scenario) {
        List<RunResult> done = new ArrayList<>();
        for (ScenarioPoint point : scenario.points()) {
            RunResult result = results.get(point);
            if (result != null) {
                done.add(result);
            }
        }
        return done;
    }
}
