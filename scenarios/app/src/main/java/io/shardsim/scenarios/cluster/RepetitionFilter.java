package io.shardsim.scenarios.cluster;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Limits each Pekko logger, and each of ours that warns about strangers, to a number of messages per minute followed by a count of the rest, so that
 * nobody can fill a disk by sending garbage; configured in {@code logback.xml}.
 */
public final class RepetitionFilter extends TurboFilter {
    private static final String PEKKO = "org.apache.pekko.";
    private static final String OURS = RepetitionFilter.class.getPackageName() + ".";
    private static final int LINES = 100;
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final Map<Logger, Integer> lines = new ConcurrentHashMap<>();
    private volatile long periodNanos = System.nanoTime();

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] parameters,
            @Nullable Throwable failure) {
        // Without a text, the call only asks whether the level is enabled.
        if (format == null || !isLimited(logger, level) || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
            return FilterReply.NEUTRAL;
        }
        long now = System.nanoTime();
        if (now - periodNanos > PERIOD_NANOS) {
            periodNanos = now;
            Map<Logger, Integer> before = Map.copyOf(lines);
            lines.clear();
            before.forEach((each, said) -> {
                if (said > LINES) {
                    each.warn("left out {} similar lines in the previous minute", said - LINES);
                }
            });
        }
        return lines.merge(logger, 1, Integer::sum) > LINES ? FilterReply.DENY : FilterReply.NEUTRAL;
    }

    private static boolean isLimited(Logger logger, Level level) {
        return logger.getName().startsWith(PEKKO)
                || level == Level.WARN && logger.getName().startsWith(OURS);
    }
}
