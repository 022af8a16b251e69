package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.Collection;
import java.util.Map;

/**
 * What one rank did in a run. The time of its compute stream is accounted for to the picosecond: work + slow-down is the time for which it was
 * busy, and that + exposed is {@code finishPs}. A rank whose parts do not sum is refused.
 *
 * @param rank global rank
 * @param finishPs virtual time at which its last operation ended [ps]
 * @param busyPs for each stream, time with an operation running [ps]
 * @param workPs for each kind of work on the compute stream, its time at full speed [ps]
 * @param slowdownPs time that the compute stream lost to collectives, casts and copies that overlapped with it [ps]
 * @param exposedPs time that the compute stream stood still, by the stream it waited for [ps]; COMPUTE: before its first operation
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
