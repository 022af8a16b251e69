package io.shardsim.scenarios.demo;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.replay.ReplayJson;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.run.Recorder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recorded run. Chunk journeys are kept for a bounded window; for another window the run is recorded again from there, with results equal to the
 * picosecond. A few windows are cached.
 */
final class Replay {
    /** Maximum journeys kept, some 20 MB. */
    private static final int JOURNEYS_MAX = 250_000;
    /** Maximum journeys that a page can draw. */
    private static final int WINDOW_JOURNEYS_MAX = 8_000;

    private static final int STRETCHES_MAX = 2;

    private static final int FILE_WINDOWS_MAX = 40;
    private static final long FILE_WINDOW_PS = 10_000_000_000L;
    /** Lead before a window within which its chunks in flight were sent [ps]. */
    private static final long LEAD_PS = 10_000_000_000L;

    private final ScenarioPoint point;
    private final RunRecorder runs;
    private final RunResult result;
    private final Deque<ReplayJson> stretches = new ArrayDeque<>();

    private Replay(ScenarioPoint point, RunRecorder runs, RunResult result) {
        this.point = point;
        this.runs = runs;
        this.result = result;
    }

    /**
     * Runs and records a point.
     *
     * @param recorder a fresh recorder, which its owner may ask for progress meanwhile
     */
    static Replay record(ScenarioPoint point, RunRecorder runs, Recorder recorder) throws InterruptedException {
        RunResult result = runs.run(point, recorder);
        Replay replay = new Replay(point, runs, result);
        if (result.fits()) {
            replay.stretches.add(new ReplayJson(result, recorder.finish(endPs(result))));
        }
        return replay;
    }

    static Recorder recorder() {
        return new Recorder(0, JOURNEYS_MAX);
    }

    /** Creates a recorder of every GPU's activity, without chunks. */
    static Recorder withoutChunks() {
        return new Recorder(0, 0);
    }

    /** Returns the run's end. */
    long endPs() {
        return fits() ? endPs(result) : 0;
    }

    boolean fits() {
        return !stretches.isEmpty();
    }

    /** Describes what distinguishes its point from the others. */
    String words() {
        return PointWords.of(point.values());
    }

    private static long endPs(RunResult result) {
        double seconds = result.collective() == null
                ? result.step().stepSeconds()
                : result.collective().seconds();
        return StrictMath.round(seconds * 1e12);
    }

    RunResult result() {
        return result;
    }

    /** Returns the outline of the run; null if it does not fit in memory. */
    @Nullable
    Map<String, Object> outline() {
        ReplayJson first = stretches.peekFirst();
        if (first == null) {
            return null;
        }
        Map<String, Object> outline = first.outline();
        outline.put("words", words());
        return outline;
    }

    /** Returns the events from an instant on, as far as requested or as a page can draw. */
    synchronized Map<String, Object> window(long fromPs, long untilPs) throws InterruptedException {
        ReplayJson stretch = stretch(fromPs, untilPs);
        long until = Math.max(fromPs + 1, stretch.coveredUntil(fromPs, untilPs));
        return stretch.window(fromPs, until, WINDOW_JOURNEYS_MAX);
    }

    /** Returns the outline and windows from an instant on, up to a number of chunks. */
    Map<String, Object> recorded(long fromPs, int journeysMax) throws InterruptedException {
        Map<String, Object> outline = Objects.requireNonNull(outline(), "a run that fits");
        List<Map<String, Object>> windows = new ArrayList<>();
        long from = Math.min(fromPs, endPs(result) - 1);
        int journeys = 0;
        while (journeys < journeysMax && windows.size() < FILE_WINDOWS_MAX && from < endPs(result)) {
            Map<String, Object> window = window(from, Math.min(endPs(result), from + FILE_WINDOW_PS));
            windows.add(window);
            journeys += ((List<?>) Objects.requireNonNull(window.get("journeys"))).size();
            from = (Long) Objects.requireNonNull(window.get("until"));
        }
        return new JsonObject().with("outline", outline).with("windows", windows);
    }

    /** Returns the time span for which {@link #recorded} has chunks. */
    static long stretchPs(Map<?, ?> recorded) {
        List<?> windows = (List<?>) Objects.requireNonNull(recorded.get("windows"));
        Map<?, ?> first = (Map<?, ?>) windows.get(0);
        Map<?, ?> last = (Map<?, ?>) windows.get(windows.size() - 1);
        return (Long) Objects.requireNonNull(last.get("until")) - (Long) Objects.requireNonNull(first.get("from"));
    }

    private ReplayJson stretch(long fromPs, long untilPs) throws InterruptedException {
        for (ReplayJson stretch : stretches) {
            if (stretch.coveredUntil(fromPs, untilPs) > fromPs) {
                stretches.remove(stretch);
                stretches.addFirst(stretch);
                return stretch;
            }
        }
        long executedPs = stretches.getFirst().executed(fromPs);
        Recorder recorder = new Recorder(Math.max(0, executedPs - LEAD_PS), JOURNEYS_MAX);
        runs.run(point, recorder);
        ReplayJson stretch = new ReplayJson(result, recorder.finish(endPs(result)));
        if (stretches.size() == STRETCHES_MAX) {
            stretches.removeLast();
        }
        stretches.addFirst(stretch);
        return stretch;
    }
}
