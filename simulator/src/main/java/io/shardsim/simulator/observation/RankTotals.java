package io.shardsim.simulator.observation;

import io.shardsim.simulator.strategy.Stream;
import io.shardsim.simulator.strategy.Work;
import java.util.Map;

/**
 * What one rank did in a run. Every stream's time is accounted for: on the compute stream, {@code finishPs} = work + slow-down + exposed.
 *
 * @param rank global rank
 * @param finishPs virtual time at which its last operation ended [ps]
 * @param busyPs for each stream, time with an operation running [ps]
 * @param workPs for each kind of work, its time at full speed [ps]
 * @param slowdownPs time that compute lost to collectives, casts and copies running beside it [ps]
 * @param exposedPs time that the compute stream stood still, by the stream it waited for [ps]; COMPUTE: before its first and after its last operation
 */
public record RankTotals(
        int rank,
        long finishPs,
        Map<Stream, Long> busyPs,
        Map<Work.Kind, Long> workPs,
        long slowdownPs,
        Map<Stream, Long> exposedPs) {}
