package io.shardsim.simulator.protocol;

import io.shardsim.simulator.kernel.VirtualTimeMessage;

/** Message to a device. */
public sealed interface DeviceMessage extends VirtualTimeMessage permits Chunk, GpuEvent {}
