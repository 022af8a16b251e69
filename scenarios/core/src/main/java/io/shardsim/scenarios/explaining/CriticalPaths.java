package io.shardsim.scenarios.explaining;

import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.run.CriticalPathRecorder;
import io.shardsim.simulator.yaml.InputException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the critical path of a run by executing all its events once. */
public final class CriticalPaths {
    /** Events after which a run is given up: a minute or two. */
    private static final long EVENTS_MAX = 200_000_000;

    private final CriticalPathRecorder recorder = new CriticalPathRecorder(EVENTS_MAX);
    private volatile boolean interrupted;

    /**
     * A run and its critical path.
     *
     * @param name name on the command line
     * @param path null if the run does not fit in memory
     */
    public record Followed(
            String name, RunResult run, @Nullable CriticalPath path) {
        /** Returns the path's totals; null if there is no path. */
        public @Nullable CriticalParts parts() {
            return path == null
                    ? null
                    : new CriticalParts(
                            path.endPs(),
                            PathParts.byKey(path).stream()
                                    .map(part -> new CriticalParts.Part(
                                            Names.id(part.getKey().waiting()),
                                            part.getKey().words(),
                                            part.getValue()))
                                    .toList());
        }
    }

    /**
     * Finds the path of a run.
     *
     * @return null if interrupted
     * @throws InputException if a value is wrong, or the run is too large
     */
    public @Nullable Followed follow(Explainer.Subject subject) throws InputException {
        return follow(subject.name(), subject.point(Map.of()));
    }

    /**
     * Finds the path of a point.
     *
     * @param name the point's name in messages
     * @return null if interrupted
     * @throws InputException if the run is too large
     */
    public @Nullable Followed follow(String name, ScenarioPoint point) throws InputException {
        try (PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            RunResult run = simulation.run(point, recorder);
            return new Followed(name, run, run.fits() ? recorder.finish(endPs(run)) : null);
        } catch (TooLargeException refused) {
            throw new InputException(name, Objects.requireNonNull(refused.getMessage()));
        } catch (InterruptedException ended) {
            return null;
        } catch (IllegalStateException failure) {
            if (interrupted) {
                return null;
            }
            throw failure;
        }
    }

    private static long endPs(RunResult run) {
        double seconds = run.training() == null
                ? Objects.requireNonNull(run.collective()).seconds()
                : run.step().stepSeconds();
        return StrictMath.round(seconds * 1e12);
    }

    /** Cancels the run. */
    public void interrupt() {
        interrupted = true;
        recorder.stop();
    }
}
