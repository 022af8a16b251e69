package io.shardsim.simulator.observation;

import io.shardsim.topology.LinkClass;

/**
 * Totals of one output port in a run.
 *
 * @param device path of the device, for example {@code Node[3].Nic[2]}
 * @param port index of the output port
 * @param nodeRank node that the port lives with
 * @param chunks chunks transmitted
 * @param bytes bytes on the wire [bytes]
 * @param busyPs time the transmitter was busy [ps]
 * @param queueingPs sum over chunks of the time spent waiting for the transmitter [ps]
 */
public record LinkTotals(
        String device,
        int port,
        int nodeRank,
        LinkClass linkClass,
        long chunks,
        long bytes,
        long busyPs,
        long queueingPs) {}
