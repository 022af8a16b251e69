package io.shardsim.scenarios.cluster;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** What happens in a simulated cluster, one thing after the other, by a clock that jumps from each to the next. */
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

    /** @param beganNanos the clock of a JVM may begin anywhere */
    SimulatedTime(long beganNanos) {
        this.beganNanos = beganNanos;
    }

    /** As a JVM's clock has it [ns]. */
    long clock() {
        return beganNanos + nowNanos;
    }

    /** Since the simulation began [ns]. */
    long nowNanos() {
        return nowNanos;
    }

    void after(long nanos, Runnable what) {
        ahead.add(new Happening(nowNanos + Math.max(0, nanos), count++, what));
    }

    /** Lets things happen until then, or until there is nothing more to happen. */
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
