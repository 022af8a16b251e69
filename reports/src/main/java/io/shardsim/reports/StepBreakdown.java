package io.shardsim.reports;

import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.strategy.Stream;
import io.shardsim.simulator.strategy.Work;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Where the time of one training step goes on the compute stream, as the mean over ranks. Work, slow-down, exposed and idle time add up to
 * the step.
 *
 * @param stepSeconds from start until the last rank is done [s]
 * @param workSeconds each kind of work at full speed [s]
 * @param otherWorkSeconds work that no kind accounts for [s]
 * @param slowdownSeconds what compute lost to collectives, casts and copies that ran beside it [s]
 * @param exposedSeconds time that compute stood still, by the stream it waited for; without COMPUTE [s]
 * @param idleSeconds before the first operation, after the last one, and waiting for slower ranks to finish [s]
 */
public record StepBreakdown(
        double stepSeconds,
        Map<Work.Kind, Double> workSeconds,
        double otherWorkSeconds,
        double slowdownSeconds,
        Map<Stream, Double> exposedSeconds,
        double idleSeconds) {

    static final double SECONDS_PER_PICOSECOND = 1e-12;

    public static StepBreakdown of(StepObservation observation) {
        List<RankTotals> ranks = observation.ranks();
        Map<Work.Kind, Double> work = new EnumMap<>(Work.Kind.class);
        for (Work.Kind kind : Work.Kind.values()) {
            double seconds = meanSeconds(ranks, rank -> rank.workPs().getOrDefault(kind, 0L));
            if (runsOnComputeStream(kind) && seconds > 0) {
                work.put(kind, seconds);
            }
        }
        Map<Stream, Double> exposed = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            if (stream != Stream.COMPUTE) {
                exposed.merge(
                        stream.reportedAs(),
                        meanSeconds(ranks, rank -> rank.exposedPs().getOrDefault(stream, 0L)),
                        Double::sum);
            }
        }
        double slowdown = meanSeconds(ranks, RankTotals::slowdownPs);
        double busy = meanSeconds(ranks, rank -> rank.busyPs().getOrDefault(Stream.COMPUTE, 0L)) - slowdown;
        double other = reconcile(work, busy);
        double step = observation.endPs() * SECONDS_PER_PICOSECOND;
        double idle = meanSeconds(ranks, rank -> idlePs(rank, observation.endPs()));
        return new StepBreakdown(
                step, Collections.unmodifiableMap(work), other, slowdown, Collections.unmodifiableMap(exposed), idle);
    }

    /** Sum of all work at full speed [s]. */
    public double totalWorkSeconds() {
        double sum = otherWorkSeconds;
        for (double seconds : workSeconds.values()) {
            sum += seconds;
        }
        return sum;
    }

    /** Sum of the given kinds [s]. */
    public double workSeconds(Work.Kind... kinds) {
        double sum = 0;
        for (Work.Kind kind : kinds) {
            sum += workSeconds.getOrDefault(kind, 0.0);
        }
        return sum;
    }

    public double exposedSeconds(Stream stream) {
        return exposedSeconds.getOrDefault(stream, 0.0);
    }

    private static long idlePs(RankTotals rank, long endPs) {
        long idlePs = endPs - rank.busyPs().getOrDefault(Stream.COMPUTE, 0L);
        for (Map.Entry<Stream, Long> exposed : rank.exposedPs().entrySet()) {
            idlePs -= exposed.getKey() == Stream.COMPUTE ? 0 : exposed.getValue();
        }
        return Math.max(0, idlePs);
    }

    private static boolean runsOnComputeStream(Work.Kind kind) {
        return kind != Work.Kind.HOST_TIME && !kind.isHostCopy();
    }

    /** Copies may also run beside compute; what exceeds the busy time of the compute stream did. Returns the work without a kind. */
    private static double reconcile(Map<Work.Kind, Double> work, double busySeconds) {
        double sum = 0;
        for (double seconds : work.values()) {
            sum += seconds;
        }
        double rest = busySeconds - sum;
        // Means of whole picoseconds differ by rounding only.
        double rounding = 1e-9 * busySeconds;
        if (rest >= -rounding) {
            return rest > rounding ? rest : 0;
        }
        Double copies = work.get(Work.Kind.MEMORY_COPY);
        if (copies != null) {
            work.put(Work.Kind.MEMORY_COPY, Math.max(0, copies + rest));
        }
        return 0;
    }

    private static double meanSeconds(List<RankTotals> ranks, ToLongFunction<RankTotals> picoseconds) {
        if (ranks.isEmpty()) {
            return 0;
        }
        double sum = 0;
        for (RankTotals rank : ranks) {
            sum += picoseconds.applyAsLong(rank);
        }
        return sum / ranks.size() * SECONDS_PER_PICOSECOND;
    }
}
