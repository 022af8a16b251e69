package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.Collection;
import java.util.Map;

/**
 * Totals of one rank in a run. The time of its compute stream is accounted for to the picosecond: work + slowdown is its busy time, and busy +
 * exposed is {@code finishPs}. Totals that do not add up are refused.
 *
 * @param rank global rank
 * @param finishPs virtual time at which its last operation ended [ps]
 * @param busyPs busy time by stream [ps]
 * @param workPs time at full speed by kind of work on the compute stream [ps]
 * @param slowdownPs time that the compute stream lost to collectives, casts and copies that overlapped with it [ps]
 * @param exposedPs idle time of the compute stream, by the stream it waited for [ps]; COMPUTE: before its first operation
 */
public record RankTotals(
        int rank,
        long finishPs,
        Map<Stream, Long> busyPs,
        Map<Work.Kind, Long> workPs,
        long slowdownPs,
        Map<Stream, Long> exposedPs) {

    public RankTotals {
        long computePs = busyPs.getOrDefault(Stream.COMPUTE, 0L);
        long workedPs = sum(workPs.values());
        long waitedPs = sum(exposedPs.values());
        if (workedPs + slowdownPs != computePs || computePs + waitedPs != finishPs) {
            throw new IllegalStateException("rank " + rank + ": the compute stream was busy for " + computePs
                    + " ps and waited for " + waitedPs + " ps, but worked for " + workedPs + " ps, lost " + slowdownPs
                    + " ps and finished at " + finishPs + " ps");
        }
    }

    private static long sum(Collection<Long> picoseconds) {
        return picoseconds.stream().mapToLong(Long::longValue).sum();
    }
}
