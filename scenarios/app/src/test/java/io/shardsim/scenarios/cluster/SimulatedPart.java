package io.shardsim.scenarios.cluster;

import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A part of a split run in a {@link SimulatedCluster}. Its thread runs while everything else stands still, until it waits for messages. */
final class SimulatedPart {
    private final Thread thread;
    private final Future<?> task;
    private final Inbox inbox;
    private final Semaphore go = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private volatile boolean over;

    /** Messages for a part; one that waits too long is woken by the simulated clock. */
    static final class Inbox extends LinkedBlockingQueue<RemoteExchange.Piece> {
        private static final long serialVersionUID = 1L;

        private transient @Nullable SimulatedPart part;
        private transient @Nullable SimulatedTime time;
        private transient Runnable wake = () -> {};
        /** Number of waits so far: state. */
        private int waits;

        private boolean waiting;

        @Override
        public boolean add(RemoteExchange.Piece piece) {
            boolean added = super.add(piece);
            // The final message comes from another thread, at any time, and wakes nobody.
            if (!isEnd(piece)) {
                wakeSoon(0, waits);
            }
            return added;
        }

        private static boolean isEnd(RemoteExchange.Piece piece) {
            return piece.from() < 0;
        }

        private void wakeSoon(long nanos, int wait) {
            if (time != null) {
                time.after(nanos, () -> {
                    if (waiting && wait == waits) {
                        wake.run();
                    }
                });
            }
        }

        @Override
        public RemoteExchange.@Nullable Piece poll(long timeout, TimeUnit unit) throws InterruptedException {
            if (isEmpty() && part != null && !Thread.currentThread().isInterrupted()) {
                waits++;
                waiting = true;
                wakeSoon(unit.toNanos(timeout), waits);
                part.pause();
                waiting = false;
                if (part.task.isDone()) {
                    return takeEnd();
                }
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return poll();
        }

        /** Cancels a part: interrupts its thread, which notifies the one that waits here, however long that takes. */
        private RemoteExchange.Piece takeEnd() throws InterruptedException {
            RemoteExchange.Piece piece = take();
            while (!isEnd(piece)) {
                piece = take();
            }
            return piece;
        }
    }

    /** @param wake lets its thread run, and sends its messages */
    SimulatedPart(Runnable run, Future<?> task, Inbox inbox, SimulatedTime time, Runnable wake) {
        this.task = task;
        this.inbox = inbox;
        inbox.part = this;
        inbox.time = time;
        inbox.wake = wake;
        thread = new Thread(
                () -> {
                    go.acquireUninterruptibly();
                    try {
                        run.run();
                    } finally {
                        over = true;
                        back.release();
                    }
                },
                "simulated-part");
        thread.setDaemon(true);
        thread.start();
    }

    /** Lets it run until it waits or ends. */
    void step() {
        if (!over) {
            go.release();
            back.acquireUninterruptibly();
        }
    }

    private void pause() {
        back.release();
        go.acquireUninterruptibly();
    }

    /** Ends it after a cancellation. */
    void endIfCancelled() {
        while (task.isDone() && !over) {
            step();
        }
    }

    boolean isOver() {
        return over;
    }

    /** Ends it with its machine. */
    void kill() {
        inbox.clear();
        task.cancel(true);
        endIfCancelled();
    }
}
