package io.shardsim.simulator.protocol;

import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.kernel.VirtualTimeMessage;

/** Timer of a GPU: a kernel ends, a collective's kernel starts, a thread block is free again. The class of the order tells which. */
public record GpuEvent(long timePs, long order, int deviceId) implements DeviceMessage {

    @Override
    public int receiverId() {
        return deviceId;
    }

    @Override
    public int sourceId() {
        return deviceId;
    }

    @Override
    public long earliestPs() {
        return timePs;
    }

    @Override
    public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
        return new GpuEvent(timePs + deltaPs, EventOrder.shifted(order, deltaOperations), deviceId);
    }

    @Override
    public void save(StateWriter writer) {
        writer.instant(timePs);
        writer.order(order);
        writer.value(deviceId);
    }
}
