package io.shardsim.reports;

import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Breakdown of one training step on the compute stream, as the mean over ranks. Work, slowdown, exposed and idle time sum to the step, to the
 * picosecond: means are rounded to whole picoseconds by largest remainder, and parts that do not sum are rejected.
 *
 * @param stepPs time from start until the last rank is done [ps]
 * @param workPs each kind of work at full speed, without zeros [ps]
 * @param slowdownPs slowdown of compute by overlapping collectives, casts and copies [ps]
 * @param exposedPs time that compute waited, by the stream it waited for as in reports; without COMPUTE [ps]
 * @param idlePs time before the first operation, after the last one, and waiting for slower ranks [ps]
 */
public record StepBreakdown(
        long stepPs, Map<Work.Kind, Long> workPs, long slowdownPs, Map<Stream, Long> exposedPs, long idlePs) {

    static final double SECONDS_PER_PICOSECOND = 1e-12;

    public StepBreakdown {
        long sum = sum(workPs.values()) + slowdownPs + sum(exposedPs.values()) + idlePs;
        if (sum != stepPs || idlePs < 0) {
            throw new IllegalStateException("a step of " + stepPs + " ps is not the sum " + sum + " ps of work "
                    + workPs + ", slow-down " + slowdownPs + ", exposed " + exposedPs + " and idle " + idlePs);
        }
    }

    public static StepBreakdown of(StepObservation observation) {
        Means means = new Means(observation.ranks(), observation.endPs());
        Map<Work.Kind, Integer> work = new EnumMap<>(Work.Kind.class);
        for (Work.Kind kind : Work.Kind.values()) {
            work.put(kind, means.add(rank -> rank.workPs().getOrDefault(kind, 0L)));
        }
        int slowdown = means.add(RankTotals::slowdownPs);
        Map<Stream, Integer> exposed = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            if (stream != Stream.COMPUTE && stream.reportedAs() == stream) {
                exposed.put(stream, means.add(rank -> exposedPs(rank, stream)));
            }
        }
        int idle = means.add(rank -> observation.endPs() - rank.finishPs() + exposedPs(rank, Stream.COMPUTE));
        long[] ps = means.rounded();
        Map<Work.Kind, Long> workPs = picked(new EnumMap<>(Work.Kind.class), work, ps);
        workPs.values().removeIf(each -> each == 0);
        return new StepBreakdown(
                observation.endPs(),
                Collections.unmodifiableMap(workPs),
                ps[slowdown],
                Collections.unmodifiableMap(picked(new EnumMap<>(Stream.class), exposed, ps)),
                ps[idle]);
    }

    public double stepSeconds() {
        return seconds(stepPs);
    }

    /** Returns the sum of all work at full speed [s]. */
    public double totalWorkSeconds() {
        return seconds(sum(workPs.values()));
    }

    /** Returns the sum of the given kinds [s]. */
    public double workSeconds(Work.Kind... kinds) {
        return seconds(Arrays.stream(kinds)
                .mapToLong(kind -> workPs.getOrDefault(kind, 0L))
                .sum());
    }

    public double slowdownSeconds() {
        return seconds(slowdownPs);
    }

    public double exposedSeconds(Stream stream) {
        return seconds(exposedPs.getOrDefault(stream, 0L));
    }

    public double idleSeconds() {
        return seconds(idlePs);
    }

    private static double seconds(long ps) {
        return ps * SECONDS_PER_PICOSECOND;
    }

    private static long exposedPs(RankTotals rank, Stream reported) {
        return rank.exposedPs().entrySet().stream()
                .filter(entry -> entry.getKey().reportedAs() == reported)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static long sum(Collection<Long> ps) {
        return ps.stream().mapToLong(Long::longValue).sum();
    }

    private static <K> Map<K, Long> picked(Map<K, Long> into, Map<K, Integer> indices, long[] ps) {
        indices.forEach((key, index) -> into.put(key, ps[index]));
        return into;
    }

    /** Means over ranks, in whole picoseconds, of parts that sum to one total on every rank; the means sum to it, too. */
    private static final class Means {
        private final List<RankTotals> ranks;
        private final long wholePs;
        private final long[] meanPs = new long[Work.Kind.values().length + Stream.values().length + 2];
        private final long[] remainder = new long[meanPs.length];
        private int parts;

        Means(List<RankTotals> ranks, long wholePs) {
            this.ranks = ranks;
            this.wholePs = wholePs;
        }

        /** Adds a part and returns its index. Quotients and remainders are summed separately to avoid overflow. */
        int add(ToLongFunction<RankTotals> part) {
            int count = Math.max(1, ranks.size());
            for (RankTotals rank : ranks) {
                long ps = part.applyAsLong(rank);
                meanPs[parts] += ps / count;
                remainder[parts] += ps % count;
            }
            meanPs[parts] += remainder[parts] / count;
            remainder[parts] %= count;
            return parts++;
        }

        /** Returns the means, rounding up the largest remainders, the first of equals. */
        long[] rounded() {
            long missing = wholePs - Arrays.stream(meanPs).sum();
            IntStream.range(0, parts)
                    .boxed()
                    .sorted(Comparator.comparingLong(part -> -remainder[part]))
                    .limit(Math.max(0, missing))
                    .forEach(part -> meanPs[part]++);
            return meanPs;
        }
    }
}
