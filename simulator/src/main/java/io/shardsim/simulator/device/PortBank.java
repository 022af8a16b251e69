package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.DeviceState;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.kernel.PlaceInPlan;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.protocol.Stop;
import io.shardsim.topology.Link;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/** Output ports of one device, and the whole state of a device that only forwards. */
public final class PortBank implements DeviceState {
    private final int deviceId;
    private final OutputPort[] ports;
    private final @Nullable PortObserver observer;

    public PortBank(int deviceId, List<Link> links) {
        this(deviceId, links, null);
    }

    /** @param observer observer of bookings, or null */
    public PortBank(int deviceId, List<Link> links, @Nullable PortObserver observer) {
        this.deviceId = deviceId;
        this.observer = observer;
        ports = links.stream().map(OutputPort::new).toArray(OutputPort[]::new);
    }

    /** Forwards an arrived chunk to the next device of its path. */
    void forward(Chunk chunk) {
        transmit(chunk.path(), chunk.hop(), chunk.order(), chunk.headPs(), chunk.timePs(), chunk.bytes());
    }

    /**
     * Books a chunk on the port of its path and sends it to the next device.
     *
     * @param headPs when its first bit arrives
     * @param tailPs when its last bit arrives
     */
    void transmit(Path path, int hop, long order, long headPs, long tailPs, long bytes) {
        Stop here = path.stop(hop);
        OutputPort port = ports[here.port()];
        long tailOutPs = port.book(headPs, tailPs, bytes);
        if (observer != null) {
            observer.onBooked(path, hop, order, headPs, tailPs, port.startPs(), tailOutPs, bytes);
        }
        long latencyPs = port.link().latencyPs();
        int next = hop + 1;
        long arrivalPs = next == path.hops() ? path.arrivalPs() : 0;
        path.stop(next)
                .actor()
                .tell(new Chunk(
                        tailOutPs + latencyPs + arrivalPs,
                        EventOrder.from(order, here.nodeSlot()),
                        port.startPs() + latencyPs,
                        path,
                        next,
                        bytes));
    }

    public int portCount() {
        return ports.length;
    }

    public long chunks(int port) {
        return ports[port].chunks();
    }

    public long bytes(int port) {
        return ports[port].bytes();
    }

    public long busyPs(int port) {
        return ports[port].busyPs();
    }

    public long queueingPs(int port) {
        return ports[port].queueingPs();
    }

    @Override
    public int deviceId() {
        return deviceId;
    }

    @Override
    public void save(StateWriter writer) {
        for (OutputPort port : ports) {
            port.save(writer);
        }
    }

    @Override
    public void shift(long deltaPs, int deltaOperations, int[] deltaPositions) {
        move(deltaPs);
    }

    @Override
    public void repeatLoop(long deltaPs, PrimitiveIterator.OfLong growth) {
        move(deltaPs);
    }

    private void move(long deltaPs) {
        for (OutputPort port : ports) {
            port.shift(deltaPs);
        }
    }

    /** Instant at which each port is free again [ps]. */
    private record FreePs(long[] ofPort) implements Memory {
        @Override
        public Memory shifted(long deltaPs, int deltaOperations, int[] deltaPositions) {
            return new FreePs(Arrays.stream(ofPort).map(ps -> ps + deltaPs).toArray());
        }

        @Override
        public void save(StateWriter writer) {
            for (long freePs : ofPort) {
                writer.notBefore(freePs);
            }
        }
    }

    @Override
    public Memory remember() {
        long[] freePs = new long[ports.length];
        for (int port = 0; port < ports.length; port++) {
            freePs[port] = ports[port].freePs();
        }
        return new FreePs(freePs);
    }

    @Override
    public void recall(Memory then) {
        long[] freePs = ((FreePs) then).ofPort();
        for (int port = 0; port < ports.length; port++) {
            ports[port].freeAt(freePs[port]);
        }
    }

    @Override
    public boolean readsAlike(Memory from, Memory to, int deltaOperations) {
        return true;
    }

    /** Leaves unused ports unchanged: a later chunk may refer to an earlier instant. */
    @Override
    public void repeat(Memory from, Memory to, long deltaPs, int deltaOperations) {
        long[] before = ((FreePs) from).ofPort();
        long[] after = ((FreePs) to).ofPort();
        for (int port = 0; port < ports.length; port++) {
            if (after[port] != before[port]) {
                ports[port].freeAt(after[port] + deltaPs);
            }
        }
    }

    @Override
    public void tellPlace(PlaceInPlan place) {
        // Ports do not know the plan.
    }

    @Override
    public int totalsCount() {
        return ports.length * OutputPort.TOTALS;
    }

    @Override
    public void copyTotals(long[] values, int at) {
        for (int port = 0; port < ports.length; port++) {
            ports[port].copyTotals(values, at + port * OutputPort.TOTALS);
        }
    }

    @Override
    public void addToTotals(long[] growth, int at) {
        for (int port = 0; port < ports.length; port++) {
            ports[port].addToTotals(growth, at + port * OutputPort.TOTALS);
        }
    }
}
