package io.shardsim.simulator.collective;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SmddpCollectivesTest {
    private final CollectiveAlgorithm gather = new SmddpAllGather();
    private final CollectiveAlgorithm reduce = new SmddpAllReduce();

    private static CollectiveRequest request(CollectiveKind kind, int[] members, long totalBytes, long chunkBytes) {
        return new CollectiveRequest(kind, totalBytes, members, Groups.cluster(3), Groups.transport(2, chunkBytes, 1));
    }

    /** Number of sends so far, by member and edge. */
    private static final class Sent {
        private final Map<List<Integer>, Integer> counts = new HashMap<>();

        int next(int member, int channel, int slot) {
            return counts.merge(List.of(member, channel, slot), 1, Integer::sum) - 1;
        }
    }

    @Test
    void everyShardEndsEverywhereAfterAnAllGather() {
        for (int[] members : Groups.shapes()) {
            CollectiveRequest request = request(ALL_GATHER, members, 16L * members.length, 1 << 20);
            if (!gather.supports(request)) {
                continue;
            }
            int nodes = request.placement().nodes();
            int local = request.placement().membersOn(0);
            Sent sent = new Sent();
            Map<Integer, List<Integer>> held = new HashMap<>();
            for (int member = 0; member < members.length; member++) {
                held.put(member, new ArrayList<>(List.of(member)));
            }
            assertThat(gather.channels(request)).isEqualTo(1);
            InOrderInterpreter.run(gather, request, new InOrderInterpreter.DataFlow() {
                @Override
                public Object send(int member, int channel, Primitive primitive, int slice) {
                    int nth = sent.next(member, channel, primitive.sendSlot());
                    int shard = primitive.sendSlot() < nodes - 1
                            ? member
                            : (member + (nodes - nth) * local) % members.length;
                    assertThat(held.get(member)).contains(shard);
                    return shard;
                }

                @Override
                public Object receive(int member, int channel, Object data, Primitive primitive) {
                    assertThat(held.get(member)).doesNotContain((Integer) data);
                    held.get(member).add((Integer) data);
                    return data;
                }
            });
            held.values().forEach(shards -> assertThat(shards).hasSize(members.length));
        }
    }

    /** A server's piece is summed inside its node first, then over all nodes, and its sum reaches every member. */
    @Test
    void everySumEndsEverywhereAfterAnAllReduce() {
        for (int[] members : Groups.shapes()) {
            CollectiveRequest request = request(ALL_REDUCE, members, 16L * members.length, 1 << 20);
            if (!reduce.supports(request)) {
                continue;
            }
            assertThat(reduce.channels(request)).isEqualTo(1);
            int nodes = request.placement().nodes();
            int local = request.placement().membersOn(0);
            Sent sent = new Sent();
            Map<List<Integer>, Contributions> sums = new HashMap<>();
            for (int member = 0; member < members.length; member++) {
                for (int shard = 0; shard < members.length; shard++) {
                    sums.put(List.of(member, shard), Contributions.of(shard, 0, member));
                }
            }
            InOrderInterpreter.run(reduce, request, new InOrderInterpreter.DataFlow() {
                @Override
                public Object send(int member, int channel, Primitive primitive, int slice) {
                    int slot = primitive.sendSlot();
                    int nth = sent.next(member, channel, slot);
                    int position = member % local;
                    if (slot < nodes - 1) {
                        int server = (member + (slot + 1) * local) % members.length;
                        int shard = nth == 0 ? server : member;
                        Contributions data = sums.get(List.of(member, shard));
                        assertThat(data.members().cardinality()).isEqualTo(nth == 0 ? local : members.length);
                        return data;
                    }
                    int peer = (position + slot - (nodes - 1) + 1) % local;
                    int shard = nth % nodes * local + (nth < nodes ? peer : position);
                    Contributions data = sums.get(List.of(member, shard));
                    assertThat(data.members().cardinality()).isEqualTo(nth < nodes ? 1 : members.length);
                    return data;
                }

                @Override
                public Object receive(int member, int channel, Object data, Primitive primitive) {
                    Contributions arrived = (Contributions) data;
                    List<Integer> key = List.of(member, arrived.shard());
                    sums.put(key, primitive.reduces() ? sums.get(key).plusAll(arrived) : arrived);
                    return data;
                }
            });
            sums.values().forEach(sum -> assertThat(sum.members().cardinality()).isEqualTo(members.length));
        }
    }

    /** Two network steps for any number of nodes: each member sends 2 (nodes - 1) / n of the buffer over the network. */
    @Test
    void balancedBuffersGiveEveryServerAndNicTheSame() {
        long totalBytes = 24 * 30_000;
        CollectiveRequest request = request(ALL_REDUCE, Groups.firstGpus(3, 8), totalBytes, 10_000);
        long[] sentByNic = new long[3 * 4];
        for (int member = 0; member < 24; member++) {
            for (int channel = 0; channel < reduce.channels(request); channel++) {
                ChannelProgram program = reduce.program(request, member, channel);
                for (Primitive primitive : program.primitives()) {
                    int slot = primitive.sendSlot();
                    if (slot != ChannelProgram.NONE && program.sendNics()[slot] != ChannelProgram.NONE) {
                        sentByNic[member / 8 * 4 + program.sendNics()[slot]] += primitive.sentBytes();
                    }
                }
            }
        }
        assertThat(sentByNic).containsOnly(2 * 2 * (totalBytes / 24) * 2);
    }

    @Test
    void gathersMoveOverTheNetworkWhatTheHierarchicalGatherMoves() {
        CollectiveRequest request = request(ALL_GATHER, Groups.firstGpus(3, 8), 24 * 30_000, 10_000);
        long network = 0;
        for (int channel = 0; channel < gather.channels(request); channel++) {
            ChannelProgram program = gather.program(request, 5, channel);
            network += program.primitives().stream()
                    .filter(primitive -> primitive.sendSlot() != ChannelProgram.NONE)
                    .filter(primitive -> program.sendNics()[primitive.sendSlot()] != ChannelProgram.NONE)
                    .mapToLong(Primitive::sentBytes)
                    .sum();
        }
        assertThat(network).isEqualTo(2 * 30_000);
    }

    @Test
    void programsOfTheNextNodeAreTheSameUnderRotation() {
        for (CollectiveAlgorithm algorithm : List.of(gather, reduce)) {
            CollectiveKind kind = algorithm == gather ? ALL_GATHER : ALL_REDUCE;
            CollectiveRequest request = request(kind, Groups.firstGpus(3, 8), 1_000_003, 2_000);
            for (int member = 0; member < 24; member++) {
                ChannelProgram here = algorithm.program(request, member, 1);
                ChannelProgram there = algorithm.program(request, (member + 8) % 24, 1);
                assertThat(there)
                        .isEqualTo(new ChannelProgram(
                                rotated(here.receivePeers()),
                                rotated(here.sendPeers()),
                                here.sendPeerSlots(),
                                here.sendNics(),
                                here.primitives()));
            }
        }
    }

    private static int[] rotated(int[] ranks) {
        return IntStream.of(ranks).map(rank -> (rank + 8) % 24).toArray();
    }
}
