package io.shardsim.scenarios.cluster;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Events of a simulated cluster, one after another, with a clock that jumps from each to the next. */
final class SimulatedTime {
    private final PriorityQueue<Happening> ahead = new PriorityQueue<>();
    private final long beganNanos;
    private long nowNanos;
    private long count;

    private record Happening(long nanos, long number, Runnable what) implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            return nanos != other.nanos ? Long.compare(nanos, other.nanos) : Long.compare(number, other.number);
        }
    }

    /** @param beganNanos initial clock, arbitrary as for a JVM */
    SimulatedTime(long beganNanos) {
        this.beganNanos = beganNanos;
    }

    /** Returns the time like a JVM's clock [ns]. */
    long clock() {
        return beganNanos + nowNanos;
    }

    /** Returns the time since the simulation began [ns]. */
    long nowNanos() {
        return nowNanos;
    }

    void after(long nanos, Runnable what) {
        ahead.add(new Happening(nowNanos + Math.max(0, nanos), count++, what));
    }

    /** Runs events until a time, or until there are none left. */
    void until(long nanos) {
        while (!ahead.isEmpty() && ahead.element().nanos() <= nanos) {
            Happening next = ahead.remove();
            nowNanos = next.nanos();
            next.what().run();
        }
        nowNanos = Math.max(nowNanos, nanos);
    }

    static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
