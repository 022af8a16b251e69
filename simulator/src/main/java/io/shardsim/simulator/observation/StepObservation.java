package io.shardsim.simulator.observation;

import java.util.List;

/**
 * Results of one run.
 *
 * @param endPs virtual time at which the last rank finished [ps]
 * @param ranks one per rank, in order
 * @param links every output port that exists, in order of device and port
 * @param timeline operations of rank 0 in order of their start, skipped repetitions included
 * @param executedEvents events that were executed one by one
 * @param simulatedEvents events that the executed ones represent
 * @param pendingEventsMax maximum pending events; a property of the simulation, not of the cluster
 * @param digest hash over the totals and times of every rank, stream and link
 */
public record StepObservation(
        long endPs,
        List<RankTotals> ranks,
        List<LinkTotals> links,
        List<OperationSpan> timeline,
        long executedEvents,
        long simulatedEvents,
        long pendingEventsMax,
        String digest) {}
