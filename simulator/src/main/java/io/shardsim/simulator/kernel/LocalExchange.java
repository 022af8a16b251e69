package io.shardsim.simulator.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Exchange between the threads of one JVM: batches are passed in memory, with a barrier that spins briefly, then yields, then sleeps.
 *
 * <p>Batches and bounds are double-buffered. A thread that has left the barrier may write into the other set while slower ones still read this one,
 * and cannot reuse this one before they arrive at the next barrier.
 */
public final class LocalExchange {
    /** Spins before yielding, about 10 us: longer than a window's skew on idle cores, shorter than a time slice of a busy one. */
    private static final int SPINS = 1_000;
    /** Yields before sleeping, which frees the core. */
    private static final int YIELDS = 200;

    private static final long SLEEP_NANOS = 50_000;
    /** Longs per cache line, to pad apart what different threads write. */
    private static final int LINE = 16;

    private final int processes;
    private final int spins;
    private final EventBatch[][][] batches;
    private final long[][] bounds;
    private final AtomicInteger arrived = new AtomicInteger();
    /** Completed exchanges: state. */
    private volatile int generation;

    private volatile boolean aborted;

    private LocalExchange(int processes) {
        this.processes = processes;
        spins = processes <= Runtime.getRuntime().availableProcessors() ? SPINS : 0;
        batches = new EventBatch[2][processes][processes];
        for (EventBatch[][] set : batches) {
            for (EventBatch[] from : set) {
                for (int to = 0; to < processes; to++) {
                    from[to] = new EventBatch();
                }
            }
        }
        bounds = new long[2][processes * LINE];
    }

    /** Returns the exchanges of several logical processes, by index. */
    public static List<WindowExchange> among(int processes) {
        LocalExchange shared = new LocalExchange(processes);
        List<WindowExchange> result = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            result.add(shared.new Member(process));
        }
        return result;
    }

    private final class Member implements WindowExchange {
        private final int self;
        /** Exchanges that this member has completed: state. */
        private int round;

        private Member(int self) {
            this.self = self;
        }

        @Override
        public int processes() {
            return processes;
        }

        @Override
        public int self() {
            return self;
        }

        @Override
        public EventBatch to(int process) {
            return batches[round & 1][self][process];
        }

        @Override
        public EventBatch from(int process) {
            return batches[(round - 1) & 1][process][self];
        }

        @Override
        public long exchange(long boundPs) {
            int set = round & 1;
            bounds[set][self * LINE] = boundPs;
            arriveAndWait(round);
            round++;
            for (EventBatch batch : batches[round & 1][self]) {
                batch.clear();
            }
            long least = Long.MAX_VALUE;
            for (int process = 0; process < processes; process++) {
                least = Math.min(least, bounds[set][process * LINE]);
            }
            return least;
        }

        @Override
        public void abort() {
            aborted = true;
        }
    }

    private void arriveAndWait(int round) {
        if (arrived.incrementAndGet() == processes) {
            arrived.set(0);
            generation = round + 1;
        }
        int waits = 0;
        while (generation == round) {
            if (aborted) {
                throw new OtherProcessFailedException();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting for other logical processes");
            }
            pause(waits++);
        }
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // A yield costs nothing if no other thread wants the core; correctness does not
    // depend on it.
    private void pause(int waits) {
        if (waits < spins) {
            Thread.onSpinWait();
        } else if (waits < spins + YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
    }
}
