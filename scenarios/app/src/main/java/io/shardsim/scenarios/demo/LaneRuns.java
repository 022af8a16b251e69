package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Cache of the lanes requested last, shared by all pages, since runs are deterministic. */
final class LaneRuns {
    private static final int KEPT_MAX = 2 * FirstSides.LANES_MAX;

    private final ExecutorService workers;
    private final RunRecorder runs;
    private final Map<List<Object>, Future<Race.Lane>> lanes = new LinkedHashMap<>(KEPT_MAX, 0.75f, true);

    LaneRuns(ExecutorService workers, RunRecorder runs) {
        this.workers = workers;
        this.runs = runs;
    }

    /**
     * Returns the run of a point, started on first request.
     *
     * @param kernels framework profile of the run; empty for its own
     */
    synchronized Future<Race.Lane> lane(int place, String kernels, ScenarioPoint point) {
        Future<Race.Lane> lane = lanes.computeIfAbsent(
                List.of(place, kernels),
                key -> workers.submit(
                        () -> new Race.Lane(place, point, Replay.record(point, runs, Replay.withoutChunks()))));
        if (lanes.size() > KEPT_MAX) {
            var eldest = lanes.entrySet().iterator();
            eldest.next().getValue().cancel(true);
            eldest.remove();
        }
        return lane;
    }

    /** Waits for the lanes of a race; returns null if other races have replaced them meanwhile. */
    @Nullable
    Race race(String kernels, Map<Integer, ScenarioPoint> points) throws InterruptedException {
        List<Future<Race.Lane>> own = new ArrayList<>();
        points.forEach((place, point) -> own.add(lane(place, kernels, point)));
        try {
            List<Race.Lane> all = new ArrayList<>();
            for (Future<Race.Lane> lane : own) {
                all.add(lane.get());
            }
            return new Race(all);
        } catch (CancellationException superseded) {
            return null;
        } catch (ExecutionException failure) {
            throw new IllegalStateException(String.valueOf(failure.getCause()), failure);
        }
    }
}
