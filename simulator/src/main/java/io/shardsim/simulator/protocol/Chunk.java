package io.shardsim.simulator.protocol;

import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.kernel.VirtualTimeMessage;

/**
 * Arrival of a chunk's last bit at the next device on its path.
 *
 * @param timePs arrival of the last bit [ps]
 * @param headPs arrival of the first bit [ps]: devices cut through, so the next transmission may be booked from here
 * @param path path from GPU to GPU
 * @param hop hops done, so the receiver is device {@code hop} of the path
 * @param bytes bytes on the wire
 */
public record Chunk(long timePs, long order, long headPs, Path path, int hop, long bytes) implements DeviceMessage {

    @Override
    public int receiverId() {
        return path.stop(hop).deviceId();
    }

    @Override
    public int sourceId() {
        return path.stop(hop - 1).deviceId();
    }

    /** Distinguishes chunks: if several nodes share a leaf, chunks to the same local rank of two of them may arrive there at once. */
    @Override
    public int flow() {
        return path.id();
    }

    @Override
    public long earliestPs() {
        return headPs;
    }

    @Override
    public boolean isOutbound() {
        return hop == path.outboundHop();
    }

    @Override
    public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
        return new Chunk(
                timePs + deltaPs, EventOrder.shifted(order, deltaOperations), headPs + deltaPs, path, hop, bytes);
    }

    @Override
    public void save(StateWriter writer) {
        writer.instant(timePs);
        writer.order(order);
        writer.instant(headPs);
        writer.value(path.id());
        writer.value(hop);
        writer.value(bytes);
    }
}
