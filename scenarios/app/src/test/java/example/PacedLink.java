package example;

import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.kernel.VirtualTimeMessage;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** A link that sends packets one after another, each for its bytes over the rate, and delivers each one latency later. */
public final class PacedLink implements SimulationEngine.Parts {
    private static final long PACKET_BYTES = 4096;
    private static final long LATENCY_PS = 2_000_000;
    private static final int LINK = 0;
    private static final int SINK = 1;

    private final Bandwidth rate;
    private final int packets;
    private ActorRef<Packet> link;
    private ActorRef<Packet> sink;

    public PacedLink(Bandwidth rate, int packets) {
        this.rate = rate;
        this.packets = packets;
    }

    /** A packet on its way to a receiver; {@code order} breaks ties between packets at the same time. */
    private record Packet(long timePs, long order, int receiverId) implements VirtualTimeMessage {
        @Override
        public int sourceId() {
            return LINK;
        }

        @Override
        public long earliestPs() {
            return timePs;
        }

        @Override
        public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
            return new Packet(timePs + deltaPs, order, receiverId);
        }

        @Override
        public void save(StateWriter writer) {
            writer.instant(timePs);
            writer.value(order);
            writer.value(receiverId);
        }
    }

    /** The device. Its only state is the time at which its transmitter is free again. */
    private final class Link {
        private long freePs;

        Behavior<Packet> behavior() {
            return Behaviors.receiveMessage(packet -> {
                freePs = Math.max(freePs, packet.timePs()) + rate.serializationPs(PACKET_BYTES);
                sink.tell(new Packet(freePs + LATENCY_PS, packet.order(), SINK));
                return Behaviors.same();
            });
        }
    }

    @Override
    public int processes() {
        return 1;
    }

    @Override
    public void spawn(int process, ActorContext<LogicalProcess.Command> context) {
        link = context.spawn(new Link().behavior(), "link", DispatcherSelector.sameAsParent());
        sink = context.spawn(Behaviors.ignore(), "sink", DispatcherSelector.sameAsParent());
    }

    @Override
    public List<LogicalProcess.Command> commands() {
        return List.of(new LogicalProcess.Command.RunAlone(this::begin, null, new MarkBoard()));
    }

    /** Sends all packets at time 0. */
    private void begin() {
        for (int i = 0; i < packets; i++) {
            link.tell(new Packet(0, i, LINK));
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (SimulationEngine engine = new SimulationEngine(1)) {
            PacedLink link = new PacedLink(new Bandwidth(12_500_000_000L), 1000);
            System.out.println(engine.execute(link).nowPs() / 1e6 + " us");
        }
    }
}
