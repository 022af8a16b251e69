package io.shardsim.simulator.protocol;

import org.apache.pekko.actor.typed.ActorRef;

/**
 * Device on a path, and the output port to the next one. All paths through the port share this object, which keeps it in the processor's cache.
 *
 * @param nodeSlot slot of the device in its node
 * @param port output port, {@link Path#NONE} at the end of a path
 */
public record Stop(int deviceId, int nodeSlot, int port, ActorRef<DeviceMessage> actor) {}
