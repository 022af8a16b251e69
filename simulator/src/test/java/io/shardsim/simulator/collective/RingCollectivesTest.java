package io.shardsim.simulator.collective;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.BROADCAST;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.topology.Cluster;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RingCollectivesTest {
    private static final CollectiveAlgorithm ALL_GATHER_RING = new RingAllGather();

    private static CollectiveRequest request(CollectiveKind kind, int[] members, long totalBytes, Transport transport) {
        return new CollectiveRequest(kind, totalBytes, members, Groups.cluster(3), transport);
    }

    @Test
    void everyShardEndsEverywhereAfterAnAllGather() {
        forAllShapes(ALL_GATHER_RING, ALL_GATHER, (request, flow) -> {
            for (int channel = 0; channel < ALL_GATHER_RING.channels(request); channel++) {
                Set<Contributions> expected = flow.heldBy(0, channel);
                assertThat(shards(expected)).hasSize(request.size());
                for (int member = 1; member < request.size(); member++) {
                    assertThat(flow.heldBy(member, channel)).isEqualTo(expected);
                }
            }
        });
    }

    @Test
    void everyShardEndsSummedWhereItLivesAfterAReduceScatter() {
        CollectiveAlgorithm ring = new RingReduceScatter();
        forAllShapes(ring, REDUCE_SCATTER, (request, flow) -> {
            for (int channel = 0; channel < ring.channels(request); channel++) {
                for (int member = 0; member < request.size(); member++) {
                    assertThat(shards(flow.heldBy(member, channel))).containsExactly(member);
                }
            }
        });
    }

    @Test
    void everySumEndsEverywhereAfterAnAllReduce() {
        CollectiveAlgorithm ring = new RingAllReduce();
        forAllShapes(ring, ALL_REDUCE, (request, flow) -> {
            for (int channel = 0; channel < ring.channels(request); channel++) {
                Set<Contributions> expected = flow.heldBy(0, channel);
                assertThat(shards(expected)).hasSize(request.size());
                for (int member = 0; member < request.size(); member++) {
                    assertThat(flow.heldBy(member, channel)).isEqualTo(expected);
                }
            }
        });
    }

    @Test
    void theRootsBufferEndsEverywhereAfterABroadcast() {
        CollectiveAlgorithm ring = new RingBroadcast();
        forAllShapes(ring, BROADCAST, (request, flow) -> {
            for (int channel = 0; channel < ring.channels(request); channel++) {
                for (int member = 0; member < request.size(); member++) {
                    assertThat(flow.heldBy(member, channel)).isNotEmpty().isEqualTo(flow.heldBy(0, channel));
                }
            }
        });
    }

    @Test
    void ringEntersAndLeavesANodeBesideTheNicOfTheChannel() {
        CollectiveRequest request =
                request(ALL_GATHER, Groups.firstGpus(3, 8), 1 << 20, Groups.transport(8, 1 << 16, 1));
        for (int channel = 0; channel < 8; channel++) {
            int nic = channel % 4;
            for (int node = 0; node < 3; node++) {
                Rail rail = Rail.of(request, node, channel);
                assertThat(rail.nic()).isEqualTo(nic);
                assertThat(rail.entry()).isEqualTo(node * 8 + 2 * nic);
                assertThat(rail.exit()).isEqualTo(node * 8 + 2 * nic + 1);
                assertThat(rail.members()).hasSize(8).doesNotHaveDuplicates();
            }
            ChannelProgram leaving = ALL_GATHER_RING.program(request, 2 * nic + 1, channel);
            assertThat(leaving.sendNics()).containsExactly(nic);
            assertThat(leaving.sendPeers()).containsExactly(8 + 2 * nic);
        }
    }

    @Test
    void groupWithOneGpuOnEachNodeUsesTheNicBesideThatGpu() {
        CollectiveRequest request =
                request(ALL_GATHER, new int[] {5, 13, 21}, 1 << 20, Groups.transport(4, 1 << 16, 1));
        for (int channel = 0; channel < 4; channel++) {
            assertThat(ALL_GATHER_RING.program(request, 1, channel).sendNics()).containsExactly(2);
        }
    }

    @Test
    void channelsSpreadOverThePcieSwitchesFirst() {
        Cluster manyNics = Groups.cluster(2, 8, 8, 32);
        CollectiveRequest request = new CollectiveRequest(
                ALL_GATHER, 1 << 20, IntStream.range(0, 16).toArray(), manyNics, Groups.transport(16, 1 << 16, 1));
        assertThat(IntStream.range(0, 10)
                        .map(channel -> Rail.of(request, 0, channel).nic()))
                .containsExactly(0, 4, 8, 12, 16, 20, 24, 28, 1, 5);
    }

    @Test
    void programsOfTheNextNodeAreTheSameUnderRotation() {
        for (int gpus = 1; gpus <= 8; gpus++) {
            CollectiveRequest request =
                    request(ALL_GATHER, Groups.firstGpus(3, gpus), 1_000_003, Groups.transport(4, 1 << 16, 2));
            for (int member = 0; member < request.size(); member++) {
                for (int channel = 0; channel < 4; channel++) {
                    ChannelProgram here = ALL_GATHER_RING.program(request, member, channel);
                    ChannelProgram there = ALL_GATHER_RING.program(request, (member + gpus) % request.size(), channel);
                    assertThat(there).isEqualTo(rotated(here));
                }
            }
        }
    }

    private static ChannelProgram rotated(ChannelProgram program) {
        return new ChannelProgram(
                IntStream.of(program.receivePeers())
                        .map(rank -> (rank + 8) % 24)
                        .toArray(),
                IntStream.of(program.sendPeers()).map(rank -> (rank + 8) % 24).toArray(),
                program.sendPeerSlots(),
                program.sendNics(),
                program.primitives());
    }

    @Test
    void allRanksShareOneListOfPrimitives() {
        int[] members = IntStream.range(0, 16_384).toArray();
        CollectiveRequest request = new CollectiveRequest(
                ALL_REDUCE, 1L << 32, members, Groups.cluster(2048), Groups.transport(8, 1 << 17, 2));
        CollectiveAlgorithm ring = new RingAllReduce();
        ChannelProgram first = ring.program(request, 0, 0);
        assertThat(first.primitives()).hasSize(4);
        assertThat(ring.program(request, 16_383, 5).primitives()).isSameAs(first.primitives());
    }

    @Test
    void chunkIsCutIntoSlicesUnlessItIsSmall() {
        int[] members = Groups.firstGpus(1, 2);
        Transport transport = Groups.transport(1, 64_000, 2);
        assertThat(ALL_GATHER_RING
                        .program(request(ALL_GATHER, members, 2 * 65_500, transport), 0, 0)
                        .primitives())
                .containsExactly(
                        new Primitive(1, ChannelProgram.NONE, 0, 2, 32_000, 32_000, false),
                        new Primitive(1, 0, ChannelProgram.NONE, 2, 32_000, 32_000, false),
                        new Primitive(1, ChannelProgram.NONE, 0, 1, 1_500, 1_500, false),
                        new Primitive(1, 0, ChannelProgram.NONE, 1, 1_500, 1_500, false));
    }

    @Test
    void ranksOfAGroupMustAscend() {
        CollectiveRequest request = request(ALL_GATHER, new int[] {0, 9, 8}, 100, Groups.transport(1, 1 << 16, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ALL_GATHER_RING.program(request, 0, 0))
                .withMessageContaining("member 2 of the group is rank 8");
    }

    private interface Check {
        void check(CollectiveRequest request, RingDataFlow flow);
    }

    private static void forAllShapes(CollectiveAlgorithm algorithm, CollectiveKind kind, Check check) {
        for (int[] members : Groups.shapes()) {
            for (int slices = 1; slices <= 2; slices++) {
                for (long totalBytes : new long[] {1, 5, 1000, 100_003}) {
                    CollectiveRequest request = request(kind, members, totalBytes, Groups.transport(3, 2_000, slices));
                    assertThat(algorithm.supports(request)).isTrue();
                    RingDataFlow flow = new RingDataFlow(algorithm, request);
                    InOrderInterpreter.run(algorithm, request, flow);
                    check.check(request, flow);
                }
            }
        }
    }

    private static Set<Integer> shards(Set<Contributions> held) {
        return held.stream().map(Contributions::shard).collect(Collectors.toSet());
    }
}
