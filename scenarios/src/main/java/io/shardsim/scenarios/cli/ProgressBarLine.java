package io.shardsim.scenarios.cli;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** One line on standard error that says how far the runs are and when they will be done; nothing where nobody looks. */
final class ProgressBarLine implements AutoCloseable {
    private static final int UPDATE_MILLIS = 500;
    private static final int PARTS = 1000;

    private final @Nullable ProgressBar bar;

    private ProgressBarLine(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /** A line, drawn only when standard error is a terminal. */
    static ProgressBarLine open() {
        if (!Terminal.isErrorSeen()) {
            return new ProgressBarLine(null);
        }
        ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("running")
                .setInitialMax(PARTS)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setUnit(" %", PARTS / 100)
                .setEtaFunction(state -> Optional.ofNullable(eta(state.getCurrent(), state.getElapsedAfterStart())))
                .setSpeedUnit(ChronoUnit.SECONDS)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, Terminal.width()))
                .clearDisplayOnFinish()
                .build();
        return new ProgressBarLine(bar);
    }

    /** What remains at the speed so far, or null before there is any. */
    static @Nullable Duration eta(long done, Duration elapsed) {
        return done <= 0 ? null : elapsed.multipliedBy(PARTS - done).dividedBy(done);
    }

    /** @param done share of all work, 0 to 1 */
    void show(double done, String what) {
        if (bar != null) {
            bar.setExtraMessage(what);
            bar.stepTo((long) (done * PARTS));
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
