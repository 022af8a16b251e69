package io.shardsim.simulator.protocol;

import io.shardsim.simulator.kernel.VirtualTimeMessage;

/** Everything that a device can receive. */
public sealed interface DeviceMessage extends VirtualTimeMessage permits Chunk, GpuEvent {}
