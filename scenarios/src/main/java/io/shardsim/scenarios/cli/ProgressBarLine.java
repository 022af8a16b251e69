package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.ProgressListener;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One line on standard error that says how far the runs are and when they will be done. Where standard error is no terminal, a line every
 * ten seconds.
 */
final class ProgressBarLine implements AutoCloseable, ProgressListener {
    private static final int UPDATE_MILLIS = 500;
    private static final int PARTS = 1000;
    private static final int BAR_MAX = 30;
    private static final int BAR_MIN = 5;

    private static final long HEARTBEAT_NANOS = 10_000_000_000L;

    private final @Nullable ProgressBar bar;
    private final @Nullable PrintStream heartbeat;
    private final long beganNanos = System.nanoTime();
    /** State: guarded by this. */
    private long toldNanos = beganNanos;

    private ProgressBarLine(@Nullable ProgressBar bar, @Nullable PrintStream heartbeat) {
        this.bar = bar;
        this.heartbeat = heartbeat;
    }

    /** Says nothing. */
    static ProgressBarLine silent() {
        return new ProgressBarLine(null, null);
    }

    /** A line that is drawn anew on a terminal, lines every now and then elsewhere. */
    static ProgressBarLine open() {
        if (!Terminal.isErrorSeen()) {
            return new ProgressBarLine(null, System.err);
        }
        ProgressBar bar = new ProgressBarBuilder()
                .setInitialMax(PARTS)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setRenderer((state, width) ->
                        render(state.getCurrent(), state.getElapsedAfterStart(), state.getExtraMessage(), width))
                .setConsumer(new ConsoleProgressBarConsumer(System.err, Terminal.width()))
                .clearDisplayOnFinish()
                .build();
        return new ProgressBarLine(bar, null);
    }

    /**
     * For example {@code 3 of 15 points [=====      ]  40 %, 0:41 so far, 1:02 left}; a narrow terminal has a shorter bar, then none.
     *
     * @param done thousandths
     */
    static String render(long done, Duration elapsed, String what, int width) {
        String end = end(done, elapsed);
        int room = Math.min(BAR_MAX, width - what.length() - end.length() - 5);
        if (room < BAR_MIN) {
            String line = what + " " + end;
            return line.substring(0, Math.min(line.length(), Math.max(0, width - 1)));
        }
        int filled = (int) (done * room / PARTS);
        return what + " [" + "=".repeat(filled) + " ".repeat(room - filled) + "] " + end;
    }

    private static String end(long done, Duration elapsed) {
        Duration left = eta(done, elapsed);
        return String.format(
                Locale.ROOT,
                "%3d %%, %s so far, %s",
                done * 100 / PARTS,
                clock(elapsed),
                left == null ? "time left not known yet" : clock(left) + " left");
    }

    /** What remains at the speed so far, or null before there is any. */
    static @Nullable Duration eta(long done, Duration elapsed) {
        return done <= 0 ? null : elapsed.multipliedBy(PARTS - done).dividedBy(done);
    }

    private static String clock(Duration time) {
        String minutesAndSeconds = String.format(Locale.ROOT, "%d:%02d", time.toMinutesPart(), time.toSecondsPart());
        return time.toHours() == 0
                ? minutesAndSeconds
                : time.toHours() + String.format(Locale.ROOT, ":%02d:%02d", time.toMinutesPart(), time.toSecondsPart());
    }

    @Override
    public void show(double done, String what) {
        if (bar != null) {
            bar.setExtraMessage(what);
            bar.stepTo((long) (done * PARTS));
        }
        beat(done, what, System.nanoTime());
    }

    private synchronized void beat(double done, String what, long nowNanos) {
        if (heartbeat != null && nowNanos - toldNanos >= HEARTBEAT_NANOS) {
            toldNanos = nowNanos;
            heartbeat.println(line((long) (done * PARTS), Duration.ofNanos(nowNanos - beganNanos), what));
        }
    }

    /** For example {@code 3 of 15 points, 40 %, 0:41 so far, 1:02 left}. */
    static String line(long done, Duration elapsed, String what) {
        return what + ", " + end(done, elapsed).strip();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
