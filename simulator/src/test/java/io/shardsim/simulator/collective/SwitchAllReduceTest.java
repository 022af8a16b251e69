package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SwitchAllReduceTest {
    private static final CollectiveAlgorithm IN_NODE = new NvlsAllReduce();
    private static final CollectiveAlgorithm TREE = new NvlsTreeAllReduce();

    private static CollectiveRequest request(int nodes, int gpus, long totalBytes, Transport transport) {
        return new CollectiveRequest(
                CollectiveKind.ALL_REDUCE, totalBytes, Groups.firstGpus(nodes, gpus), Groups.cluster(nodes), transport);
    }

    /** A head's link carries its own share twice and the others' once; the network carries a tree over the nodes for that share. */
    @Test
    void linksCarryWhatASwitchThatAddsUpLeavesThem() {
        long totalBytes = 8L << 20;
        for (int nodes = 1; nodes <= 9; nodes++) {
            CollectiveRequest request = request(nodes, 8, totalBytes, Groups.transport(4, 64 << 10, 1));
            long local = 0;
            long remote = 0;
            for (int member = 0; member < request.size(); member++) {
                for (int channel = 0; channel < 4; channel++) {
                    ChannelProgram program = algorithm(nodes).program(request, member, channel);
                    for (Primitive primitive : program.primitives()) {
                        if (primitive.sendSlot() != ChannelProgram.NONE) {
                            boolean inNode = program.sendNics()[primitive.sendSlot()] == ChannelProgram.NONE;
                            local += inNode ? primitive.sentBytes() : 0;
                            remote += inNode ? 0 : primitive.sentBytes();
                        }
                    }
                }
            }
            // Rounding up: a byte for each of seven peers on the first chunk of a channel.
            assertThat(local).isBetween(nodes * 9 * totalBytes, nodes * (9 * totalBytes + 8 * 4 * 7));
            assertThat(remote).isEqualTo(2 * (nodes - 1) * totalBytes);
        }
    }

    /** A member with its result has heard, directly or indirectly, from every member. */
    @Test
    void nobodyIsDoneBeforeEverybodyHasJoined() {
        for (int nodes = 1; nodes <= 17; nodes++) {
            for (int gpus = 3; gpus <= 8; gpus += 5) {
                for (long totalBytes : new long[] {1, 5, 1000, 100_003}) {
                    CollectiveRequest request = request(nodes, gpus, totalBytes, Groups.transport(2, 4_096, 1));
                    Heard heard = new Heard(request.size());
                    InOrderInterpreter.run(algorithm(nodes), request, heard);
                    for (BitSet joined : heard.joined.values()) {
                        assertThat(joined.cardinality()).isEqualTo(request.size());
                    }
                }
            }
        }
    }

    /** 24 ranks, six or eight per node, in chunks of one size: members with equally many edges have different programs. */
    @Test
    void programsOfOtherNodesAreNotMixedUp() {
        for (int gpus : new int[] {6, 8, 6}) {
            CollectiveRequest request = request(24 / gpus, gpus, 100_003, Groups.transport(2, 4_096, 1));
            InOrderInterpreter.run(TREE, request, new Heard(request.size()));
        }
    }

    @Test
    void asksForEqualNodesOfMoreThanTwo() {
        Transport transport = Groups.transport(2, 4_096, 1);
        assertThat(IN_NODE.supports(request(1, 2, 1000, transport))).isFalse();
        assertThat(IN_NODE.supports(request(1, 3, 1000, transport))).isTrue();
        assertThat(IN_NODE.supports(request(2, 8, 1000, transport))).isFalse();
        assertThat(TREE.supports(request(1, 8, 1000, transport))).isFalse();
        assertThat(TREE.supports(request(2, 8, 1000, transport))).isTrue();
        int[] uneven = {0, 1, 2, 3, 8, 9, 10};
        assertThat(TREE.supports(
                        new CollectiveRequest(CollectiveKind.ALL_REDUCE, 1000, uneven, Groups.cluster(2), transport)))
                .isFalse();
    }

    private static CollectiveAlgorithm algorithm(int nodes) {
        return nodes == 1 ? IN_NODE : TREE;
    }

    /** Carries with each slice the members that its sender has heard from, itself included. */
    private static final class Heard implements DataFlow {
        private final int size;
        private final Map<String, BitSet> joined = new HashMap<>();

        Heard(int size) {
            this.size = size;
        }

        @Override
        public Object send(int member, int channel, Primitive primitive, int slice) {
            return of(member, channel).clone();
        }

        @Override
        public Object receive(int member, int channel, Object data, Primitive primitive) {
            of(member, channel).or((BitSet) data);
            return data;
        }

        private BitSet of(int member, int channel) {
            return joined.computeIfAbsent(member + "/" + channel, unknown -> {
                BitSet self = new BitSet(size);
                self.set(member);
                return self;
            });
        }
    }
}
