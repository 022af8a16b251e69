package io.shardsim.simulator.device;

import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import org.apache.pekko.actor.typed.Behavior;

/**
 * NVSwitch, PCIe switch, or a node's share of a leaf or spine switch: output-queued, one port per link, cut-through.
 *
 * <p>Leaves out input buffers and arbitration between inputs other than FIFO by the last bit.
 */
public final class SwitchDevice extends Device {
    /** Output ports: state. */
    private final PortBank ports;

    private SwitchDevice(PortBank ports) {
        this.ports = ports;
    }

    public static Behavior<DeviceMessage> create(PortBank ports) {
        return new SwitchDevice(ports);
    }

    @Override
    Behavior<DeviceMessage> onChunkArrived(Chunk chunk) {
        ports.forward(chunk);
        return this;
    }
}
