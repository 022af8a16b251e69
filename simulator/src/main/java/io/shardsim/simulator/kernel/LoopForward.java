package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exact fast-forward within operations: a ring of hundreds of ranks takes hundreds of equal steps, and a large buffer dozens of equal chunks. Once the
 * pipeline has filled, every few steps leave all devices as they were, but for what counts steps and chunks.
 *
 * <p>When the whole state relative to now is what it was some steps ago, whole periods are skipped: as many as every counter has room for, and as end before
 * anything comes due that the steps do not move, such as the end of a kernel that runs meanwhile. Handlers look at a counter only to see whether its room is
 * used up, and add to what they count without looking, so by induction over events what is skipped is what would have happened, to the picosecond.
 *
 * <p>To write the state down is dear, so it is done only where a few numbers that are cheap to have have begun to recur, which is a hint, no more, and as
 * often as is small beside the events executed. Operations that go at rates of their own beside each other may never come to the same state.
 */
final class LoopForward {
    /** Longest period that is looked for, in steps. */
    private static final int PERIOD_MAX = 64;
    /** Fewer hints recur by chance. */
    private static final int HINTS_MIN = 4;
    /** How much of the state may be written down for each event that is executed, so that looking takes little time beside doing. */
    private static final int VALUES_PER_EVENT = 4;
    /** Operations that may go through loops beside each other. */
    private static final int BESIDE_MAX = 4;

    private final List<? extends DeviceState> devices;
    private final LongSupplier seenFromPs;
    private final StateWriter writer = new StateWriter();

    /** The operations that were begun last. */
    private final int[] operations = new int[BESIDE_MAX];

    private int begun;
    /** Steps of all operations that have begun since the last of them was. */
    private int steps;
    /** Hints of the latest steps, by number of the step modulo their number. */
    private final long[] hints = new long[2 * PERIOD_MAX];

    private long lastPs;
    private @Nullable Snapshot earlier;
    private int comparedAt;
    /** Values that have been written down so far. */
    private long written;

    private record Snapshot(long timePs, long[] state, long[] counters, Totals totals) {}

    /** @param seenFromPs says from when on no event may be left out [ps] */
    LoopForward(List<? extends DeviceState> devices, LongSupplier seenFromPs) {
        this.devices = devices;
        this.seenFromPs = seenFromPs;
    }

    /** A step of an operation begins. */
    void onRepetition(int current, long nowPs, long executedEvents, FutureEventList events) {
        if (seenFromPs.getAsLong() <= nowPs) {
            return;
        }
        if (!isKnown(current)) {
            operations[begun++ % BESIDE_MAX] = current;
            steps = 0;
            earlier = null;
        }
        hints[steps++ % hints.length] = 31 * (31 * (nowPs - lastPs) + events.hint()) + current;
        lastPs = nowPs;
        if (earlier != null && steps < comparedAt) {
            return;
        }
        int period = written < VALUES_PER_EVENT * executedEvents ? recurringPeriod() : 0;
        if (earlier == null && period == 0) {
            return;
        }
        Snapshot now = snapshot(nowPs, events);
        if (earlier != null && isEqual(earlier, now) && skip(earlier, now, events)) {
            steps = 0;
            lastPs = events.nowPs();
            earlier = null;
        } else {
            earlier = period == 0 ? null : now;
            comparedAt = steps + period;
        }
    }

    private boolean isKnown(int current) {
        for (int i = 0; i < Math.min(begun, BESIDE_MAX); i++) {
            if (operations[i] == current) {
                return true;
            }
        }
        return false;
    }

    /** The least number of steps after which all hints of as many steps, or of a few, have come again; 0 when there is none. */
    private int recurringPeriod() {
        for (int period = 1; period <= PERIOD_MAX && 2 * period <= steps; period++) {
            int needed = Math.max(period, HINTS_MIN);
            int same = 0;
            while (same < needed && same + period < steps && hint(same) == hint(same + period)) {
                same++;
            }
            if (same == needed) {
                return period;
            }
        }
        return 0;
    }

    private long hint(int stepsAgo) {
        return hints[(steps - 1 - stepsAgo) % hints.length];
    }

    private static boolean isEqual(Snapshot one, Snapshot other) {
        return one.timePs() != other.timePs() && Arrays.equals(one.state(), other.state());
    }

    private Snapshot snapshot(long nowPs, FutureEventList events) {
        writer.beginWithinLoop(nowPs, events.earliestPs(nowPs));
        events.saveWithinLoop(writer);
        devices.forEach(device -> device.save(writer));
        written += writer.size();
        return new Snapshot(nowPs, writer.toArray(), writer.counters(), Totals.of(devices));
    }

    /** How often the period between two equal states may be repeated after the later one, whose rooms the writer still has. */
    private long times(Snapshot from, Snapshot to, long heldUntilPs) {
        long times = (heldUntilPs - 1 - to.timePs()) / (to.timePs() - from.timePs());
        long[] rooms = writer.rooms();
        int[] depths = writer.depths();
        boolean outerGrew = false;
        for (int i = 0; i < rooms.length; i++) {
            long growth = to.counters()[i] - from.counters()[i];
            outerGrew &= depths[i] > 0;
            if (growth < 0 || growth > 0 && outerGrew) {
                return 0;
            }
            if (growth > 0) {
                times = Math.min(times, rooms[i] / growth);
                outerGrew = true;
            }
        }
        return times;
    }

    /** Repeats the period between two equal states as often as may be; false when it may not be repeated. */
    private boolean skip(Snapshot from, Snapshot to, FutureEventList events) {
        long times = times(from, to, Math.min(events.heldUntilPs(), seenFromPs.getAsLong()));
        if (times <= 0) {
            return false;
        }
        long deltaPs = Math.multiplyExact(to.timePs() - from.timePs(), times);
        long[] growth = new long[to.counters().length];
        for (int i = 0; i < growth.length; i++) {
            growth[i] = Math.multiplyExact(to.counters()[i] - from.counters()[i], times);
        }
        PrimitiveIterator.OfLong inOrder = Arrays.stream(growth).iterator();
        to.totals().addGrowth(from.totals(), times, devices);
        devices.forEach(device -> device.repeatLoop(deltaPs, inOrder));
        events.repeatLoop(deltaPs);
        return true;
    }
}
