package io.shardsim.simulator.collective;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HierarchicalCollectivesTest {
    private static final List<CollectiveAlgorithm> GATHERS =
            List.of(new HierarchicalAllGather(), new BatchedHierarchicalAllGather());
    private static final List<CollectiveAlgorithm> REDUCTIONS =
            List.of(new HierarchicalReduceScatter(), new BatchedHierarchicalReduceScatter());

    private static CollectiveRequest request(CollectiveKind kind, int[] members, long totalBytes, int slices) {
        return new CollectiveRequest(kind, totalBytes, members, Groups.cluster(3), Groups.transport(3, 2_000, slices));
    }

    @Test
    void everyShardEndsEverywhereAfterAnAllGather() {
        CollectiveAlgorithm gather = new HierarchicalAllGather();
        forAllShapes(gather, ALL_GATHER, request -> {
            HierarchicalDataFlow flow = new HierarchicalDataFlow(request);
            InOrderInterpreter.run(gather, request, flow);
            for (int channel = 0; channel < gather.channels(request); channel++) {
                Set<Contributions> expected = flow.heldBy(0, channel);
                assertThat(shards(expected)).hasSize(request.size());
                for (int member = 0; member < request.size(); member++) {
                    assertThat(flow.heldBy(member, channel)).isEqualTo(expected);
                }
            }
        });
    }

    @Test
    void everyShardEndsSummedWhereItLivesAfterAReduceScatter() {
        CollectiveAlgorithm reduction = new HierarchicalReduceScatter();
        forAllShapes(reduction, REDUCE_SCATTER, request -> {
            HierarchicalDataFlow flow = new HierarchicalDataFlow(request);
            InOrderInterpreter.run(reduction, request, flow);
            for (int channel = 0; channel < reduction.channels(request); channel++) {
                int parts = flow.heldBy(0, channel).size();
                for (int member = 0; member < request.size(); member++) {
                    assertThat(shards(flow.heldBy(member, channel))).containsExactly(member);
                    assertThat(flow.heldBy(member, channel)).hasSize(parts);
                }
            }
        });
    }

    @Test
    void batchedStagesFollowOneAnotherAndMoveEverything() {
        checkBatched(new BatchedHierarchicalAllGather(), ALL_GATHER);
        checkBatched(new BatchedHierarchicalReduceScatter(), REDUCE_SCATTER);
    }

    private static void checkBatched(CollectiveAlgorithm algorithm, CollectiveKind kind) {
        forAllShapes(algorithm, kind, request -> {
            BatchedHierarchicalDataFlow flow = new BatchedHierarchicalDataFlow(algorithm, request);
            InOrderInterpreter.run(algorithm, request, flow);
            flow.checkAllFinished();
        });
    }

    /** MiCS, section 3.3: (p - 8) / p of the buffer enters each node of a group of p ranks. */
    @Test
    void onlyTheSharesOfOtherNodesEnterANodeAndEachNicCarriesItsOwn() {
        long totalBytes = 24 * 30_000;
        for (CollectiveAlgorithm algorithm : List.of(GATHERS.get(0), REDUCTIONS.get(0))) {
            CollectiveKind kind = algorithm == GATHERS.get(0) ? ALL_GATHER : REDUCE_SCATTER;
            CollectiveRequest request = request(kind, Groups.firstGpus(3, 8), totalBytes, 1);
            long[] sentByNic = new long[3 * 4];
            for (int member = 0; member < 24; member++) {
                for (int channel = 0; channel < algorithm.channels(request); channel++) {
                    ChannelProgram program = algorithm.program(request, member, channel);
                    long bytes = program.primitives().stream()
                            .filter(primitive -> primitive.sendSlot() == HierarchicalAlgorithm.TO_NEXT_NODE)
                            .mapToLong(ChannelProgram.Primitive::sentBytes)
                            .sum();
                    sentByNic[member / 8 * 4 + program.sendNics()[HierarchicalAlgorithm.TO_NEXT_NODE]] += bytes;
                    assertThat(program.sendPeers()[HierarchicalAlgorithm.TO_NEXT_NODE])
                            .isEqualTo((request.members()[member] + 8) % 24);
                }
            }
            assertThat(sentByNic).containsOnly(totalBytes * (24 - 8) / 24 / 4);
        }
    }

    @Test
    void askForSeveralNodesWithTheSameNumberOfRanks() {
        CollectiveAlgorithm gather = GATHERS.get(0);
        assertThat(gather.supports(request(ALL_GATHER, Groups.firstGpus(2, 4), 1000, 1)))
                .isTrue();
        assertThat(gather.supports(request(ALL_GATHER, new int[] {0, 1, 12, 13}, 1000, 1)))
                .isTrue();
        assertThat(gather.supports(request(ALL_GATHER, Groups.firstGpus(1, 8), 1000, 1)))
                .isFalse();
        assertThat(gather.supports(request(ALL_GATHER, Groups.firstGpus(3, 1), 1000, 1)))
                .isFalse();
        assertThat(gather.supports(request(ALL_GATHER, new int[] {0, 1, 8}, 1000, 1)))
                .isFalse();
        assertThat(gather.supports(request(REDUCE_SCATTER, Groups.firstGpus(2, 4), 1000, 1)))
                .isFalse();
    }

    @Test
    void programsOfTheNextNodeAreTheSameUnderRotation() {
        for (CollectiveAlgorithm gather : GATHERS) {
            CollectiveRequest request = request(ALL_GATHER, Groups.firstGpus(3, 8), 1_000_003, 2);
            for (int member = 0; member < 24; member++) {
                ChannelProgram here = gather.program(request, member, 1);
                ChannelProgram there = gather.program(request, (member + 8) % 24, 1);
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

    private static void forAllShapes(
            CollectiveAlgorithm algorithm, CollectiveKind kind, Consumer<CollectiveRequest> check) {
        for (int[] members : Groups.shapes()) {
            for (int slices = 1; slices <= 2; slices++) {
                for (long totalBytes : new long[] {1, 5, 1000, 100_003}) {
                    CollectiveRequest request = request(kind, members, totalBytes, slices);
                    if (algorithm.supports(request)) {
                        check.accept(request);
                    }
                }
            }
        }
    }

    private static Set<Integer> shards(Set<Contributions> held) {
        return held.stream().map(Contributions::shard).collect(Collectors.toSet());
    }
}
