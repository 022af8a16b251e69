package io.shardsim.simulator.device;

import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * An NVSwitch, a PCIe switch, or a node's share of a leaf or spine switch: output-queued, one port per link, cut-through.
 *
 * <p>Leaves out input buffers and arbitration between inputs other than first come, first served by the last bit.
 */
public final class SwitchDevice extends AbstractBehavior<DeviceMessage> {
    /** Output ports: state. */
    private final PortBank ports;

    private SwitchDevice(ActorContext<DeviceMessage> context, PortBank ports) {
        super(context);
        this.ports = ports;
    }

    public static Behavior<DeviceMessage> create(PortBank ports) {
        return Behaviors.setup(context -> new SwitchDevice(context, ports));
    }

    @Override
    public Receive<DeviceMessage> createReceive() {
        return newReceiveBuilder().onMessage(Chunk.class, this::onChunkArrived).build();
    }

    private Behavior<DeviceMessage> onChunkArrived(Chunk chunk) {
        ports.forward(chunk);
        return this;
    }
}
