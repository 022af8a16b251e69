package io.shardsim.simulator.observation;

import java.util.ArrayList;
import java.util.List;

/**
 * Stretches of virtual time that a run did not execute because they repeat an earlier one. The events in (fromPs, toPs] recur once per period, the
 * given number of times; the skipped time starts right after toPs.
 */
public final class SkippedTime {
    /** Stretch and its number of repetitions. */
    public record Repetition(long fromPs, long toPs, int deltaOperations, int times) {
        public long periodPs() {
            return toPs - fromPs;
        }

        /** Returns the end of the last repetition [ps]. */
        public long endPs() {
            return toPs + periodPs() * times;
        }
    }

    /** Receiver of one copy of an executed event. */
    @FunctionalInterface
    public interface Copy {
        void at(long shiftPs, int shiftOperations);
    }

    private final List<Repetition> repetitions = new ArrayList<>();

    /** Adds a repetition; in time order. */
    public void add(Repetition repetition) {
        repetitions.add(repetition);
    }

    public List<Repetition> repetitions() {
        return List.copyOf(repetitions);
    }

    /** Returns the executed instant that represents another one [ps]. */
    public long executed(long ps) {
        long at = ps;
        for (int i = repetitions.size() - 1; i >= 0; i--) {
            Repetition r = repetitions.get(i);
            if (at > r.toPs() && at <= r.endPs()) {
                at = r.fromPs() + 1 + (at - r.toPs() - 1) % r.periodPs();
            }
        }
        return at;
    }

    /** Returns how long the answer of {@link #executed} stays valid after an instant, at least one picosecond [ps]. */
    public long evenAheadPs(long ps) {
        long at = ps;
        long ahead = Long.MAX_VALUE;
        for (int i = repetitions.size() - 1; i >= 0; i--) {
            Repetition r = repetitions.get(i);
            if (at > r.toPs() && at <= r.endPs()) {
                long place = (at - r.toPs() - 1) % r.periodPs();
                ahead = Math.min(ahead, r.periodPs() - place);
                at = r.fromPs() + 1 + place;
            } else if (at <= r.toPs()) {
                ahead = Math.min(ahead, r.toPs() - at + 1);
            }
        }
        return ahead;
    }

    /**
     * Passes every copy of an executed event that overlaps a window, the original included.
     *
     * @param keyPs instant that determines its period
     * @param startPs start of the event
     * @param endPs end of the event
     * @param fromPs start of the window
     * @param untilPs end of the window, exclusive
     */
    public void copies(long keyPs, long startPs, long endPs, long fromPs, long untilPs, Copy copy) {
        copies(repetitions.size() - 1, keyPs, new Window(startPs - keyPs, endPs - keyPs, fromPs, untilPs), copy);
    }

    /** Window, with the extent of the event around its key. */
    private record Window(long before, long behind, long fromPs, long untilPs) {
        boolean shows(long keyPs) {
            return keyPs + before < untilPs && keyPs + behind >= fromPs;
        }
    }

    /** Emits copies from repetitions 0 to {@code last}. */
    private void copies(int last, long keyPs, Window window, Copy copy) {
        if (last < 0) {
            if (window.shows(keyPs)) {
                copy.at(0, 0);
            }
            return;
        }
        copies(last - 1, keyPs, window, copy);
        Repetition r = repetitions.get(last);
        if (keyPs > r.toPs() || r.toPs() + window.before() >= window.untilPs() || !reaches(r, window)) {
            return;
        }
        if (r.fromPs()
                >= (last == 0 ? Long.MIN_VALUE : repetitions.get(last - 1).endPs())) {
            if (keyPs > r.fromPs()) {
                repeat(r, keyPs, 0, 0, window, copy);
            }
        } else {
            // The period contains copies made by earlier repetitions: those repeat with it.
            Window period = new Window(0, 0, r.fromPs() + 1, r.toPs() + 1);
            copies(last - 1, keyPs, period, (ps, operations) -> repeat(r, keyPs, ps, operations, window, copy));
        }
    }

    private static boolean reaches(Repetition r, Window window) {
        return r.endPs() + window.behind() >= window.fromPs();
    }

    private static void repeat(Repetition r, long keyPs, long shiftPs, int shiftOperations, Window window, Copy copy) {
        long atPs = keyPs + shiftPs;
        long first = Math.max(1, Math.floorDiv(window.fromPs() - window.behind() - atPs, r.periodPs()));
        for (long time = first; time <= r.times(); time++) {
            long copyPs = atPs + time * r.periodPs();
            if (copyPs + window.before() >= window.untilPs()) {
                break;
            }
            if (window.shows(copyPs)) {
                copy.at(shiftPs + time * r.periodPs(), Math.toIntExact(shiftOperations + time * r.deltaOperations()));
            }
        }
    }
}
