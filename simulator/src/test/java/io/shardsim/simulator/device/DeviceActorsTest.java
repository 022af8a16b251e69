package io.shardsim.simulator.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.protocol.Chunk;
import io.shardsim.simulator.protocol.DeviceMessage;
import io.shardsim.simulator.protocol.GpuEvent;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.protocol.Stop;
import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.actor.typed.Behavior;
import org.junit.jupiter.api.Test;

/** Single devices, with time driven by hand. */
class DeviceActorsTest {
    private static final Bandwidth BYTE_PER_PS = new Bandwidth(1_000_000_000_000L);
    private static final long ORDER = EventOrder.of(EventOrder.CHUNK, 5, 1, 2, 0, 3);

    private final TestInbox<DeviceMessage> next = TestInbox.create();
    private final TestInbox<DeviceMessage> own = TestInbox.create();

    private Path path() {
        Stop[] stops = {
            new Stop(1, 0, 0, own.getRef()), new Stop(2, 8, 0, own.getRef()), new Stop(3, 1, Path.NONE, next.getRef())
        };
        return new Path(0, stops, 3, Path.NONE, 70);
    }

    private static PortBank bank(int deviceId, long perMessagePs) {
        return new PortBank(deviceId, List.of(new Link(LinkClass.NIC, BYTE_PER_PS, perMessagePs, 10)));
    }

    private static void passesOnInTurn(
            BehaviorTestKit<DeviceMessage> device, TestInbox<DeviceMessage> next, Path path, long perMessagePs) {
        device.run(new Chunk(1_000, ORDER, 900, path, 1, 512));
        device.run(new Chunk(1_000, ORDER, 1_000, path, 1, 512));

        long firstOutPs = 900 + perMessagePs + 512;
        assertThat(next.receiveMessage())
                .as("cut-through: begins at the first bit; the last link adds the time until the receiver acts")
                .isEqualTo(new Chunk(firstOutPs + 10 + 70, EventOrder.from(ORDER, 8), 910, path, 2, 512));
        assertThat(next.receiveMessage())
                .as("waits for the first")
                .isEqualTo(new Chunk(
                        firstOutPs + perMessagePs + 512 + 80,
                        EventOrder.from(ORDER, 8),
                        firstOutPs + 10,
                        path,
                        2,
                        512));
        assertThat(next.hasMessages()).isFalse();
    }

    @Test
    void aSwitchPassesChunksOnInTurn() {
        passesOnInTurn(BehaviorTestKit.create(SwitchDevice.create(bank(2, 0))), next, path(), 0);
    }

    @Test
    void aNicChargesForEachMessage() {
        passesOnInTurn(BehaviorTestKit.create(NicDevice.create(bank(2, 25))), next, path(), 25);
    }

    @Test
    void everyMessageOfTheProtocolIsHandledByEveryDevice() {
        assertThat(DeviceMessage.class.getPermittedSubclasses()).containsExactlyInAnyOrder(Chunk.class, GpuEvent.class);
        assertThat(BehaviorTestKit.create(SwitchDevice.create(bank(2, 0))).currentBehavior())
                .isNotNull();
    }

    @Test
    void aGpuStartsAnOperationWhenItsStreamAndItsWaitsAllow() {
        StepPlan.Builder builder = StepPlan.builder();
        int copy = builder.add(new Operation.Compute(Stream.COPY, new Work(Work.Kind.MEMORY_COPY, 30), "copy"));
        builder.add(new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 100), "forward"), copy);
        builder.add(new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_BACKWARD, 50), "backward"));
        RankPlan plan = new RankPlan(builder.build(), Work::amount);
        GpuState state = new GpuState(0, plan, bank(0, 0), 100);
        Behavior<DeviceMessage> behavior = GpuDevice.create(
                new GpuDevice.GpuSpecification(new RankCollective[0], new RankCollective[0], 2_000, null), state);
        BehaviorTestKit<DeviceMessage> gpu = BehaviorTestKit.create(behavior);

        gpu.run(GpuDevice.beginning(0));
        GpuEvent copied = (GpuEvent) gpu.selfInbox().receiveMessage();
        assertThat(copied.timePs()).as("half speed").isEqualTo(60);
        gpu.run(copied);
        GpuEvent forward = (GpuEvent) gpu.selfInbox().receiveMessage();
        assertThat(forward.timePs()).isEqualTo(260);
        gpu.run(forward);
        GpuEvent backward = (GpuEvent) gpu.selfInbox().receiveMessage();
        assertThat(backward.timePs()).isEqualTo(360);
        assertThat(state.isFinished()).isFalse();
        gpu.run(backward);

        assertThat(state.isFinished()).isTrue();
        assertThat(state.finishPs()).isEqualTo(360);
        assertThat(state.exposedPs(Stream.COPY))
                .as("compute stood still for the copy")
                .isEqualTo(60);
        assertThat(state.workPs(Work.Kind.LAYER_FORWARD)).isEqualTo(200);
        assertThat(state.busyPs(Stream.COMPUTE)).isEqualTo(300);
        assertThat(state.workPs(Work.Kind.MEMORY_COPY))
                .as("of the compute stream alone")
                .isZero();
    }

    @Test
    void aRunThatCannotEndNamesTheCulprit() {
        StepPlan.Builder builder = StepPlan.builder();
        builder.add(new Operation.Collective(
                Stream.GATHER, CollectiveKind.ALL_GATHER, new RankGroups("world", 2, 2, 1), 8, "ring", "gather layer"));
        RankPlan plan = new RankPlan(builder.build(), Work::amount);
        GpuState state = new GpuState(0, plan, bank(0, 0), 100);

        assertThat(state.outstanding()).isEqualTo("waiting to start gather layer (operation 0 on GATHER)");
    }
}
