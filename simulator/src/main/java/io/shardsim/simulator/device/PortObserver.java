package io.shardsim.simulator.device;

import io.shardsim.simulator.protocol.Path;

/** Observer of the transmissions booked at output ports, in the order of booking. */
public interface PortObserver {

    /**
     * Called when a chunk has been booked.
     *
     * @param hop hops done before this one
     * @param order encodes operation, channel and receive slot, see {@link io.shardsim.simulator.kernel.EventOrder}
     * @param headPs when its first bit was at the port
     * @param tailPs when its last bit was at the port
     * @param startPs when the transmission begins
     * @param leavePs when the last bit leaves
     * @param bytes bytes on the wire
     */
    void onBooked(Path path, int hop, long order, long headPs, long tailPs, long startPs, long leavePs, long bytes);
}
