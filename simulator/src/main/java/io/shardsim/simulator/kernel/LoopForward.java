package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/**
 * Exact fast-forward within an operation: a ring of hundreds of ranks takes hundreds of equal steps, and once its pipeline has filled, every few of
 * them leave all devices as they were, but for what counts the steps.
 *
 * <p>When the whole state relative to now is what it was some steps ago, whole periods are skipped: as many as every counter has room for, and as end before
 * anything comes due that the steps do not move, such as the end of a kernel that runs meanwhile. Handlers look at a counter only to see whether its room is
 * used up, and add to what they count without looking, so by induction over events what is skipped is what would have happened, to the picosecond.
 *
 * <p>To write the state down is dear, so it is done only where a few numbers that are cheap to have have begun to recur. They are a hint, no more.
 */
final class LoopForward {
    /** Longest period that is looked for, in steps. */
    private static final int PERIOD_MAX = 16;

    private final List<? extends DeviceState> devices;
    private final StateWriter writer = new StateWriter();

    private int operation = MarkBoard.NONE;
    /** Steps of the operation that have begun. */
    private int steps;
    /** Where to look again: twice as far as states were last compared in vain. Channels that go at different rates never come to the same state. */
    private int resumeAt;
    /** Hints of the latest steps, by number of the step modulo their number. */
    private final long[] hints = new long[2 * PERIOD_MAX];

    private long lastPs;
    private @Nullable Snapshot earlier;
    private int comparedAt;

    private record Snapshot(long timePs, long[] state, long[] counters, Totals totals) {}

    LoopForward(List<? extends DeviceState> devices) {
        this.devices = devices;
    }

    /** A step of an operation begins. */
    void onRepetition(int current, long nowPs, FutureEventList events) {
        if (current != operation) {
            operation = current;
            steps = 0;
            resumeAt = 0;
            earlier = null;
        }
        hints[steps++ % hints.length] = 31 * (nowPs - lastPs) + events.hint();
        lastPs = nowPs;
        if (earlier != null) {
            if (steps == comparedAt) {
                compare(earlier, snapshot(nowPs, events), events);
            }
        } else if (steps >= resumeAt) {
            int period = recurringPeriod();
            if (period > 0) {
                earlier = snapshot(nowPs, events);
                comparedAt = steps + period;
            }
        }
    }

    /** The least number of steps after which all hints of as many steps have come again; 0 when there is none. */
    private int recurringPeriod() {
        for (int period = 1; period <= PERIOD_MAX && 2 * period <= steps; period++) {
            int same = 0;
            while (same < period && hint(same) == hint(same + period)) {
                same++;
            }
            if (same == period) {
                return period;
            }
        }
        return 0;
    }

    private long hint(int stepsAgo) {
        return hints[(steps - 1 - stepsAgo) % hints.length];
    }

    private void compare(Snapshot from, Snapshot to, FutureEventList events) {
        earlier = null;
        if (from.timePs() == to.timePs() || !Arrays.equals(from.state(), to.state())) {
            resumeAt = 2 * steps;
            return;
        }
        long times = times(from, to, events.heldUntilPs());
        if (times > 0) {
            skip(from, to, times, events);
            steps = 0;
            lastPs = events.nowPs();
        }
    }

    private Snapshot snapshot(long nowPs, FutureEventList events) {
        writer.beginWithinLoop(nowPs, events.earliestPs(nowPs));
        events.saveWithinLoop(writer);
        devices.forEach(device -> device.save(writer));
        return new Snapshot(nowPs, writer.toArray(), writer.counters(), Totals.of(devices));
    }

    /** How often the period between two equal states may be repeated after the later one, whose rooms the writer still has. */
    private long times(Snapshot from, Snapshot to, long heldUntilPs) {
        long times = (heldUntilPs - 1 - to.timePs()) / (to.timePs() - from.timePs());
        long[] rooms = writer.rooms();
        for (int i = 0; i < rooms.length; i++) {
            long growth = to.counters()[i] - from.counters()[i];
            if (growth < 0) {
                return 0;
            }
            if (growth > 0) {
                times = Math.min(times, rooms[i] / growth);
            }
        }
        return times;
    }

    private void skip(Snapshot from, Snapshot to, long times, FutureEventList events) {
        long deltaPs = Math.multiplyExact(to.timePs() - from.timePs(), times);
        long[] growth = new long[to.counters().length];
        for (int i = 0; i < growth.length; i++) {
            growth[i] = Math.multiplyExact(to.counters()[i] - from.counters()[i], times);
        }
        PrimitiveIterator.OfLong inOrder = Arrays.stream(growth).iterator();
        to.totals().addGrowth(from.totals(), times, devices);
        devices.forEach(device -> device.repeatLoop(deltaPs, inOrder));
        events.repeatLoop(deltaPs);
    }
}
