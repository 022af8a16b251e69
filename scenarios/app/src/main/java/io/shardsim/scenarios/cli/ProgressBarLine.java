package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.ProgressListener;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * A progress line with the remaining time on stderr, redrawn twice a second. If stderr is not a terminal, it prints a line after two seconds and then
 * one every ten.
 */
final class ProgressBarLine implements AutoCloseable, ProgressListener {
    private static final long UPDATE_MILLIS = 500;
    private static final int PARTS = 1000;
    private static final int BAR_MAX = 30;
    private static final int BAR_MIN = 5;

    private static final long FIRST_NANOS = 2_000_000_000L;
    private static final long HEARTBEAT_NANOS = 10_000_000_000L;

    private final @Nullable PrintStream out;
    private final @Nullable Request request = Request.current();
    /** Columns of the terminal; 0 without one. */
    private final int width;

    private final @Nullable Timer timer;
    private final long beganNanos = System.nanoTime();

    // State: guarded by this.
    private long nextNanos = beganNanos + FIRST_NANOS;
    private double done;
    private String what = "";
    private int drawn;
    private boolean closed;

    private ProgressBarLine(@Nullable PrintStream out, int width) {
        this.out = out;
        this.width = width;
        timer = width == 0 ? null : new Timer("progress", true);
    }

    /** Prints nothing. */
    static ProgressBarLine silent() {
        return new ProgressBarLine(null, 0);
    }

    /** A line that is redrawn on a terminal, or printed periodically elsewhere; progress of a {@link Request} goes to its listener instead. */
    static ProgressBarLine open() {
        return Request.current() != null ? silent() : open(System.err, Terminal.isErrorSeen() ? Terminal.width() : 0);
    }

    /** @param width columns of the terminal; 0 without one */
    static ProgressBarLine open(PrintStream out, int width) {
        ProgressBarLine line = new ProgressBarLine(out, width);
        if (line.timer != null) {
            line.timer.schedule(
                    new TimerTask() {
                        @Override
                        public void run() {
                            line.draw();
                        }
                    },
                    UPDATE_MILLIS,
                    UPDATE_MILLIS);
        }
        return line;
    }

    /**
     * For example {@code 3 of 15 points [=====      ]  40 %, 0:41 so far, 1:02 left}; a narrow terminal gets a shorter bar, or none.
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
                left == null ? "time left unknown" : clock(left) + " left");
    }

    /** Remaining time at the average speed so far; null before any progress. */
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
    public synchronized void show(double done, String what) {
        this.done = done;
        this.what = what;
        if (request != null && !closed) {
            request.progress().show(done, what);
        }
        long nowNanos = System.nanoTime();
        if (out != null && width == 0 && nowNanos - nextNanos >= 0) {
            nextNanos = nowNanos + HEARTBEAT_NANOS;
            out.println(line((long) (done * PARTS), Duration.ofNanos(nowNanos - beganNanos), what));
        }
    }

    private synchronized void draw() {
        if (closed) {
            return;
        }
        String line = render((long) (done * PARTS), Duration.ofNanos(System.nanoTime() - beganNanos), what, width);
        redraw(line + " ".repeat(Math.max(0, drawn - line.length())));
        drawn = line.length();
    }

    private void redraw(String line) {
        if (out != null) {
            out.print("\r" + line + "\r");
            out.flush();
        }
    }

    /** For example {@code 3 of 15 points, 40 %, 0:41 so far, 1:02 left}. */
    static String line(long done, Duration elapsed, String what) {
        return what + ", " + end(done, elapsed).strip();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
            redraw(" ".repeat(drawn));
        }
    }
}
