package io.shardsim.scenarios.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stops a run cleanly when the user presses Ctrl-C or a program cancels its {@link Request}: asks the run to stop, and keeps the JVM alive until the
 * partial report is written.
 *
 * <p>After SIGINT the JVM exits with status 130 by itself once its shutdown hooks have returned.
 */
final class Interruption implements AutoCloseable {
    /** A report takes well under a second; while the hook waits, a second Ctrl-C has no effect. */
    private static final long PATIENCE_SECONDS = 10;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;

    /**
     * @param stop called from another thread, at most once
     */
    Interruption(Runnable stop) {
        hook = new Thread(
                () -> {
                    stop.run();
                    try {
                        if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                            System.err.println("interrupted before the report was written");
                        }
                    } catch (InterruptedException impatient) {
                        Thread.currentThread().interrupt();
                    }
                },
                "interruption");
        Request request = Request.current();
        if (request == null) {
            Runtime.getRuntime().addShutdownHook(hook);
        } else {
            request.onCancel(stop);
        }
    }

    /** The report is written; the JVM may exit. */
    void finished() {
        finished.countDown();
    }

    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endingAlready) {
            // The hook is already running, and the latch has just released it.
        }
    }
}
