package io.shardsim.scenarios.serving;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Drops clients that send or read so slowly that they hold a thread: interrupting the thread closes its blocking socket. */
final class SlowClients implements AutoCloseable {
    /** Bytes that a client must take within the timeout. */
    private static final int BLOCK = 64 * 1024;

    private final Duration patience;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "http-patience");
        thread.setDaemon(true);
        return thread;
    });

    SlowClients(Duration patience) {
        this.patience = patience;
    }

    /** An operation that may wait for a client. */
    private interface Waiting<T> {
        T run() throws IOException;
    }

    /**
     * Sends bytes.
     *
     * @throws IOException also if the client did not take a block in time
     */
    void write(OutputStream out, byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; at += BLOCK) {
            int from = at;
            inTime(() -> {
                out.write(bytes, from, Math.min(BLOCK, bytes.length - from));
                out.flush();
                return true;
            });
        }
    }

    /**
     * Reads a stream to its end.
     *
     * @throws IOException also on a timeout of the client
     */
    byte[] read(InputStream in, int bytesMax) throws IOException {
        return inTime(() -> in.readNBytes(bytesMax));
    }

    private <T> T inTime(Waiting<T> waiting) throws IOException {
        Cut cut = new Cut();
        ScheduledFuture<?> timeout = timer.schedule(cut, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return waiting.run();
        } finally {
            timeout.cancel(false);
            cut.end();
        }
    }

    /** Interrupts the thread that created it, unless that no longer waits: its later work must not be interrupted. */
    private static final class Cut implements Runnable {
        private final Thread waiting = Thread.currentThread();
        /** State, guarded by this. */
        private boolean over;

        private boolean interrupted;

        @Override
        public synchronized void run() {
            if (!over) {
                interrupted = true;
                waiting.interrupt();
            }
        }

        /** Ends the wait; called by the waiting thread. */
        synchronized void end() {
            over = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
