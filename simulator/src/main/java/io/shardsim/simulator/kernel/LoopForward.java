package io.shardsim.simulator.kernel;

import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exact fast-forward within operations: a ring of hundreds of ranks takes hundreds of equal steps, and a large buffer dozens of equal chunks. Once
 * the pipeline is full, the state recurs every few steps, except for counters of steps and chunks.
 *
 * <p>If the whole state relative to now equals the state some steps ago, whole periods are skipped: as many as every counter has room for, and as end
 * before any event that the steps do not shift, such as the end of a running kernel. Handlers only test whether a counter's room is used up, and
 * otherwise add to it blindly. So by induction over events, skipping is exact to the picosecond.
 *
 * <p>Saving the state is expensive, so it is done only when a few cheap hints recur, and seldom compared with the events executed. Concurrent
 * operations at different rates may never reach the same state.
 */
final class LoopForward {
    /** Longest period searched for, in steps. */
    private static final int PERIOD_MAX = 64;
    /** Minimum number of hints; fewer recur by chance. */
    private static final int HINTS_MIN = 4;
    /** Budget of saved state values per executed event, so that searching stays cheap. */
    private static final int VALUES_PER_EVENT = 4;
    /** Maximum number of operations that loop concurrently. */
    private static final int BESIDE_MAX = 4;

    private final List<? extends DeviceState> devices;
    private final LongSupplier seenFromPs;
    private final StateWriter writer = new StateWriter();

    /** Operations started last. */
    private final int[] operations = new int[BESIDE_MAX];

    private int begun;
    /** Steps of all operations since the last of them started. */
    private int steps;
    /** Hints of the latest steps, as a ring buffer. */
    private final long[] hints = new long[2 * PERIOD_MAX];

    private long lastPs;
    private @Nullable Snapshot earlier;
    private int comparedAt;
    /** Number of values saved so far. */
    private long written;

    private record Snapshot(long timePs, long[] state, long[] counters, Totals totals) {}

    /** @param seenFromPs instant from which no event may be skipped [ps] */
    LoopForward(List<? extends DeviceState> devices, LongSupplier seenFromPs) {
        this.devices = devices;
        this.seenFromPs = seenFromPs;
    }

    /** Handles the start of a step of an operation. */
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

    /** Returns the least number of steps after which all hints of that many steps, or of a few, recur; 0 if there is none. */
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

    /** Returns how often the period between two equal states may be repeated after the later one, whose rooms the writer still has. */
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

    /** Repeats the period between two equal states as often as possible; returns false if it may not be repeated. */
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
