package io.shardsim.scenarios.demo;

import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.run.Recorder;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * An open page: on each side one finished run, which it plays, and at most one in progress. A later choice ends and frees the run before it; closing
 * the page ends and frees them all.
 */
final class Viewer {
    private final String id;
    private final ExecutorService workers;
    private final RunRecorder runs;
    private final Set<String> sides = new HashSet<>();
    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final Map<String, Done> done = new ConcurrentHashMap<>();
    private @Nullable Future<LessonAnswer> asked;
    private long runCount;
    private boolean closed;

    /** A run in progress. */
    private record Running(Recorder recorder, Future<Replay> replay) {}

    /** A run that can be played, by the name given to the page. */
    record Done(String run, Replay replay) {
        /**
         * Returns the page's data on a run: the outline and the result document, or why it does not fit.
         *
         * @param points descriptions of the points, with the choice applied
         */
        Map<String, @Nullable Object> document(List<String> points) {
            Map<String, @Nullable Object> out = new LinkedHashMap<>();
            out.put("run", run);
            out.put("points", points);
            Map<String, Object> outline = replay.outline();
            if (outline == null) {
                out.put("label", replay.result().label());
                out.put("result", ResultsJson.page(replay.result()));
                out.put("remedy", replay.result().remedy());
            } else {
                out.putAll(outline);
            }
            return out;
        }
    }

    Viewer(String id, ExecutorService workers, RunRecorder runs) {
        this.id = id;
        this.workers = workers;
        this.runs = runs;
    }

    String id() {
        return id;
    }

    /** Returns whether a side is among the first ones that this page asked for, up to a limit. */
    synchronized boolean takes(String side, int sidesMax) {
        return sides.contains(side) || sides.size() < sidesMax && sides.add(side);
    }

    /**
     * Runs a point on a side and waits for it.
     *
     * @return null if a later choice has taken the side meanwhile, or the page was closed
     */
    @Nullable
    Done run(String side, ScenarioPoint point) throws InterruptedException {
        Recorder recorder = Replay.recorder();
        Running own;
        synchronized (this) {
            if (closed) {
                return null;
            }
            own = new Running(recorder, workers.submit(() -> Replay.record(point, runs, recorder)));
            end(running.put(side, own));
        }
        try {
            return finished(side, own, own.replay().get());
        } catch (CancellationException superseded) {
            return null;
        } catch (ExecutionException failure) {
            throw failed(failure);
        }
    }

    private synchronized @Nullable Done finished(String side, Running own, Replay replay) {
        if (closed || !running.remove(side, own)) {
            return null;
        }
        Done result = new Done(String.valueOf(++runCount), replay);
        done.put(side, result);
        return result;
    }

    /** Runs a lesson, or only its given points, and waits; returns null if the page was closed meanwhile, or asks for another lesson. */
    @Nullable
    LessonAnswer answer(Lessons lessons, Lesson lesson, boolean given) throws InterruptedException {
        Future<LessonAnswer> own;
        synchronized (this) {
            if (closed) {
                return null;
            }
            own = workers.submit(() -> given ? lessons.given(lesson, runs) : lessons.answer(lesson, runs));
            end(asked);
            asked = own;
        }
        try {
            return own.get();
        } catch (CancellationException closedMeanwhile) {
            return null;
        } catch (ExecutionException failure) {
            throw failed(failure);
        }
    }

    private static IllegalStateException failed(ExecutionException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }

    private static void end(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(true);
        }
    }

    private static void end(@Nullable Running running) {
        if (running != null) {
            end(running.replay());
        }
    }

    /** Returns the run that a side plays; null if it plays none, or another one by now. */
    @Nullable
    Replay replay(String side, String run) {
        Done known = done.get(side);
        return known == null || !known.run().equals(run) ? null : known.replay();
    }

    /** Returns the progress of current runs, by side; empty if there are none. */
    Map<String, long[]> progress() {
        Map<String, long[]> out = new LinkedHashMap<>();
        running.forEach((name, side) -> out.put(name, side.recorder().progress()));
        return out;
    }

    synchronized void close() {
        closed = true;
        running.values().forEach(Viewer::end);
        end(asked);
        running.clear();
        done.clear();
    }
}
