package io.shardsim.simulator.observation;

import java.util.List;

/**
 * Results of one logical process of a run whose other processes are in other JVMs.
 *
 * @param ranks ranks of its nodes, in order
 * @param links output ports of its nodes, in order of device and port
 * @param timeline timeline of rank 0, if that is among its ranks
 * @param ownEvents timer events of its GPUs
 * @param sentBytes bytes sent by its GPUs [bytes]
 * @param receivedBytes bytes received by its GPUs [bytes]
 */
public record PartObservation(
        List<RankTotals> ranks,
        List<LinkTotals> links,
        List<OperationSpan> timeline,
        long executedEvents,
        long ownEvents,
        long pendingEventsMax,
        long sentBytes,
        long receivedBytes) {}
