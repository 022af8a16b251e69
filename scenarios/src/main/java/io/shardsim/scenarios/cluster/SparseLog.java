package io.shardsim.scenarios.cluster;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Warnings that strangers can cause: so many a minute, then their number. */
final class SparseLog {
    private static final int LINES_MAX = 100;
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private long beganNanos = System.nanoTime();
    private int lines;

    SparseLog(Logger log) {
        this.log = log;
    }

    synchronized void warn(String format, @Nullable Object... values) {
        long now = System.nanoTime();
        if (now - beganNanos > MINUTE_NANOS) {
            if (lines > LINES_MAX) {
                log.warn("left out {} such lines of the minute before", lines - LINES_MAX);
            }
            beganNanos = now;
            lines = 0;
        }
        if (++lines <= LINES_MAX) {
            log.warn(format, values);
        }
    }
}
