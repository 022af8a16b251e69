package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.VirtualTimeDispatcher;
import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.simulator.protocol.GpuEvent;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.ExtensibleBehavior;
import org.apache.pekko.actor.typed.Signal;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Receive table of all devices, most frequent message first: hand-written, since devices receive millions of messages a second. */
abstract class Device extends ExtensibleBehavior<DeviceMessage> {

    @Override
    public final Behavior<DeviceMessage> receive(TypedActorContext<DeviceMessage> context, DeviceMessage message) {
        try {
            return message instanceof Chunk chunk ? onChunkArrived(chunk) : onEvent((GpuEvent) message);
        } catch (RuntimeException failure) {
            VirtualTimeDispatcher.fail(failure);
            return Behaviors.same();
        }
    }

    @Override
    public final Behavior<DeviceMessage> receiveSignal(TypedActorContext<DeviceMessage> context, Signal signal) {
        return Behaviors.unhandled();
    }

    abstract Behavior<DeviceMessage> onChunkArrived(Chunk chunk);

    /** Handles a timer that the device has set for itself. */
    Behavior<DeviceMessage> onEvent(GpuEvent event) {
        throw new IllegalStateException(getClass().getSimpleName() + " sets itself no events: " + event);
    }
}
