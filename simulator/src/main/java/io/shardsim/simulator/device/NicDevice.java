package io.shardsim.simulator.device;

import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import org.apache.pekko.actor.typed.Behavior;

/**
 * NIC with one port to the wire and one to its PCIe switch. Each chunk is one message and holds the wire port for the NIC's time per message plus its
 * bytes at the effective rate. An EFA NIC sprays the packets of a message over many paths (Shalev et al., A Cloud-Optimized Transport Protocol for
 * Elastic and Scalable HPC, IEEE Micro 2020), so paths need no modelling beyond the leaf and spine ports.
 *
 * <p>Leaves out packet loss, retransmission and congestion control.
 */
public final class NicDevice extends Device {
    /** Output ports: state. */
    private final PortBank ports;

    private NicDevice(PortBank ports) {
        this.ports = ports;
    }

    public static Behavior<DeviceMessage> create(PortBank ports) {
        return new NicDevice(ports);
    }

    @Override
    Behavior<DeviceMessage> onChunkArrived(Chunk chunk) {
        ports.forward(chunk);
        return this;
    }
}
