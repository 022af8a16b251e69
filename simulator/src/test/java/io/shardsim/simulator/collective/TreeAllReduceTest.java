package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TreeAllReduceTest {
    private static final CollectiveAlgorithm TREE = new TreeAllReduce();

    private static CollectiveRequest request(int nodes, int[] members, long totalBytes, Transport transport) {
        return new CollectiveRequest(CollectiveKind.ALL_REDUCE, totalBytes, members, Groups.cluster(nodes), transport);
    }

    @Test
    void everyContributionEndsEverywhereExactlyOnce() {
        for (int[] members : Groups.shapes()) {
            for (int slices = 1; slices <= 2; slices++) {
                for (long totalBytes : new long[] {1, 5, 1000, 100_003}) {
                    check(request(3, members, totalBytes, Groups.transport(4, 2_000, slices)));
                }
            }
        }
    }

    @Test
    void manyNodesWork() {
        for (int nodes = 4; nodes <= 17; nodes++) {
            check(request(nodes, Groups.firstGpus(nodes, 3), 100_000, Groups.transport(2, 1_000, 1)));
        }
    }

    private static void check(CollectiveRequest request) {
        TreeDataFlow flow = new TreeDataFlow(TREE, request);
        InOrderInterpreter.run(TREE, request, flow);
        for (int channel = 0; channel < TREE.channels(request); channel++) {
            List<Contributions> expected = flow.heldBy(0, channel);
            assertThat(expected).isNotEmpty();
            for (int member = 1; member < request.size(); member++) {
                assertThat(flow.heldBy(member, channel)).isEqualTo(expected);
            }
        }
    }

    /** The drawings in NCCL's src/graph/trees.cc. */
    @Test
    void treesAreThoseOfNccl() {
        DoubleBinaryTree first = new DoubleBinaryTree(14, false);
        assertThat(IntStream.range(0, 14).map(first::parent))
                .containsExactly(-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12);
        DoubleBinaryTree mirrored = new DoubleBinaryTree(12, true);
        assertThat(IntStream.range(0, 12).map(mirrored::parent)).containsExactly(1, 3, 1, 11, 5, 7, 5, 3, 9, 7, 9, -1);
        DoubleBinaryTree shifted = new DoubleBinaryTree(13, true);
        assertThat(shifted.parent(1)).isEqualTo(DoubleBinaryTree.NONE);
        assertThat(shifted.parent(9)).isEqualTo(1);
        assertThat(shifted.parent(0)).isEqualTo(9);
    }

    @Test
    void childrenAndParentsAgree() {
        for (int nodes = 1; nodes <= 40; nodes++) {
            for (boolean second : new boolean[] {false, true}) {
                DoubleBinaryTree tree = new DoubleBinaryTree(nodes, second);
                int children = 0;
                for (int node = 0; node < nodes; node++) {
                    for (int index = 0; index < 2; index++) {
                        int child = tree.child(node, index);
                        if (child != DoubleBinaryTree.NONE) {
                            assertThat(tree.parent(child)).isEqualTo(node);
                            children++;
                        }
                    }
                }
                assertThat(children).isEqualTo(nodes - 1);
            }
        }
    }

    @Test
    void innerNodesOfOneTreeAreLeavesOfTheOther() {
        for (int nodes = 2; nodes <= 40; nodes++) {
            Set<Integer> both = innerNodes(new DoubleBinaryTree(nodes, false));
            both.retainAll(innerNodes(new DoubleBinaryTree(nodes, true)));
            assertThat(both).as("%d nodes", nodes).hasSizeLessThanOrEqualTo(nodes % 2);
        }
    }

    private static Set<Integer> innerNodes(DoubleBinaryTree tree) {
        Set<Integer> inner = new HashSet<>();
        for (int node = 0; node < tree.nodes(); node++) {
            inner.add(tree.parent(node));
        }
        inner.remove(DoubleBinaryTree.NONE);
        return inner;
    }

    @Test
    void treeSpeaksToOtherNodesBesideTheNicOfItsChannel() {
        int[] members = Groups.firstGpus(8, 8);
        CollectiveRequest request = request(8, members, 1 << 20, Groups.transport(8, 1 << 16, 1));
        for (int channel = 0; channel < 8; channel++) {
            int nic = channel / 2;
            for (int member = 0; member < members.length; member++) {
                ChannelProgram program = TREE.program(request, member, channel);
                for (int slot = 0; slot < program.sendPeers().length; slot++) {
                    boolean sameNode = program.sendPeers()[slot] / 8 == members[member] / 8;
                    assertThat(program.sendNics()[slot]).isEqualTo(sameNode ? ChannelProgram.NONE : nic);
                    assertThat(sameNode || members[member] % 8 / 2 == nic).isTrue();
                }
            }
        }
    }

    @Test
    void membersThatDoTheSameShareOneListOfPrimitives() {
        int[] members = IntStream.range(0, 16_384).toArray();
        CollectiveRequest request = new CollectiveRequest(
                CollectiveKind.ALL_REDUCE, 1L << 24, members, Groups.cluster(2048), Groups.transport(4, 1 << 17, 1));
        Set<Object> lists = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int member = 0; member < members.length; member++) {
            lists.add(TREE.program(request, member, 0).primitives());
        }
        assertThat(lists).hasSizeLessThan(120);
    }
}
