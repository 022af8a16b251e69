package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every algorithm in the catalog. */
class CollectiveContractTest {
    private static final CollectiveCatalog CATALOG = CollectiveCatalog.load();

    private static final DataFlow NO_MEANING = new DataFlow() {
        @Override
        public Object send(int member, int channel, Primitive primitive, int slice) {
            return "";
        }

        @Override
        public Object receive(int member, int channel, Object data, Primitive primitive) {
            return "";
        }
    };

    static Stream<CollectiveCatalog.Entry> entries() {
        return CATALOG.entries().stream();
    }

    private interface Check {
        void check(CollectiveAlgorithm algorithm, CollectiveRequest request);
    }

    private static void forAllRequests(CollectiveCatalog.Entry entry, Check check) {
        int checked = 0;
        List<Transport> transports =
                List.of(Groups.transport(1, 1 << 20, 1), Groups.transport(4, 3_000, 2), Groups.transport(6, 1_024, 4));
        for (CollectiveKind kind : entry.kinds()) {
            for (int[] members : Groups.shapes()) {
                for (Transport transport : transports) {
                    for (long totalBytes : new long[] {1, 7, 4096, 123_457}) {
                        CollectiveRequest request =
                                new CollectiveRequest(kind, totalBytes, members, Groups.cluster(3), transport);
                        if (entry.algorithm().supports(request)) {
                            check.check(entry.algorithm(), request);
                            checked++;
                        }
                    }
                }
            }
        }
        assertThat(checked).isPositive();
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("entries")
    void slicesSentAreSlicesReceivedAndNobodyWaitsForEver(CollectiveCatalog.Entry entry) {
        forAllRequests(entry, (algorithm, request) -> InOrderInterpreter.run(algorithm, request, NO_MEANING));
    }

    @ParameterizedTest
    @MethodSource("entries")
    void everybodyEndsWithWhatTheCollectiveGives(CollectiveCatalog.Entry entry) {
        // No member's program contains the switch's reduction.
        assumeThat(entry.algorithm().pattern()).isNotEqualTo(CollectiveAlgorithm.Pattern.SWITCH);
        for (CollectiveKind kind : entry.kinds()) {
            for (int[] members : Groups.shapes()) {
                CollectiveRequest request = threeUnitsEach(kind, members);
                if (entry.algorithm().supports(request)) {
                    DataFlowOracle.check(entry.algorithm(), request);
                }
            }
        }
    }

    /** Returns a request over two channels; the second gets one chunk. */
    private static CollectiveRequest threeUnitsEach(CollectiveKind kind, int[] members) {
        return new CollectiveRequest(
                kind,
                3L * DataFlowOracle.UNIT_BYTES * members.length,
                members,
                Groups.cluster(3),
                Groups.transport(2, DataFlowOracle.UNIT_BYTES, 1));
    }

    /** A ring in which each member sends its own shard repeatedly, instead of what it has received. */
    private static final class OwnShardsOnly extends RingAlgorithm {
        OwnShardsOnly(CollectiveKind kind) {
            super(kind);
        }

        @Override
        protected void moveChunk(PrimitiveList primitives, int ranks, long chunkBytes) {
            for (int other = 1; other < ranks; other++) {
                primitives.send(TO_NEXT, chunkBytes);
            }
            for (int other = 1; other < ranks; other++) {
                if (supportsSums()) {
                    primitives.receiveReduce(FROM_PREVIOUS, chunkBytes);
                } else {
                    primitives.receive(FROM_PREVIOUS, chunkBytes);
                }
            }
        }

        private boolean supportsSums() {
            return supports(threeUnitsEach(CollectiveKind.REDUCE_SCATTER, Groups.firstGpus(1, 2)));
        }
    }

    @Test
    void wrongShardsAreSeen() {
        int[] members = Groups.firstGpus(2, 2);
        assertThatThrownBy(() -> DataFlowOracle.check(
                        new OwnShardsOnly(CollectiveKind.ALL_GATHER),
                        threeUnitsEach(CollectiveKind.ALL_GATHER, members)))
                .hasMessage("member 0 ends without 3 of 12 units");
        assertThatThrownBy(() -> DataFlowOracle.check(
                        new OwnShardsOnly(CollectiveKind.REDUCE_SCATTER),
                        threeUnitsEach(CollectiveKind.REDUCE_SCATTER, members)))
                .hasMessage("member 0 does not add to 3 of 12 units");
    }

    @ParameterizedTest
    @MethodSource("entries")
    void bytesMovedAreWhatTheCollectiveNeeds(CollectiveCatalog.Entry entry) {
        forAllRequests(entry, (algorithm, request) -> {
            long others = request.size() - 1L;
            long padded = request.shardBytes() * request.size();
            long all = 0;
            for (int member = 0; member < request.size(); member++) {
                long sent = 0;
                long received = 0;
                for (int channel = 0; channel < algorithm.channels(request); channel++) {
                    ChannelProgram program = algorithm.program(request, member, channel);
                    sent += program.sentBytes();
                    received += program.receivedBytes();
                }
                all += sent;
                switch (request.kind()) {
                    case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> {
                        assertThat(sent).isEqualTo(others * request.shardBytes());
                        assertThat(received).isEqualTo(others * request.shardBytes());
                    }
                    case SEND_RECV -> {
                        assertThat(sent).isEqualTo(request.totalBytes());
                        assertThat(received).isEqualTo(request.totalBytes());
                    }
                    case BROADCAST -> assertThat(received).isEqualTo(member == 0 ? 0 : request.totalBytes());
                    case BROADCAST_FROM_LAST ->
                        assertThat(received).isEqualTo(member == others ? 0 : request.totalBytes());
                    case ALL_REDUCE -> assertThat(received).isGreaterThanOrEqualTo(request.totalBytes());
                }
            }
            // SwitchAllReduceTest covers the switch's reduction.
            if (request.kind() == CollectiveKind.ALL_REDUCE && !(algorithm instanceof SwitchAllReduce)) {
                assertThat(all).isBetween(2 * others * request.totalBytes(), 2 * others * padded);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("entries")
    void chunksKeepToTheTransport(CollectiveCatalog.Entry entry) {
        forAllRequests(entry, (algorithm, request) -> {
            Transport transport = request.transport();
            assertThat(algorithm.channels(request)).isBetween(1, transport.channels());
            for (int channel = 0; channel < algorithm.channels(request); channel++) {
                for (Primitive primitive :
                        algorithm.program(request, 0, channel).primitives()) {
                    long chunkBytes = (primitive.slices() - 1) * primitive.sliceBytes() + primitive.lastSliceBytes();
                    assertThat(chunkBytes).isBetween(1L, transport.chunkBytes());
                    assertThat(primitive.slices()).isLessThanOrEqualTo(transport.slices());
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("entries")
    void onlyEdgesBetweenNodesNameANic(CollectiveCatalog.Entry entry) {
        forAllRequests(entry, (algorithm, request) -> {
            Cluster cluster = request.cluster();
            for (int member = 0; member < request.size(); member++) {
                for (int channel = 0; channel < algorithm.channels(request); channel++) {
                    ChannelProgram program = algorithm.program(request, member, channel);
                    for (int slot = 0; slot < program.sendPeers().length; slot++) {
                        int node = cluster.nodeRank(request.members()[member]);
                        if (cluster.nodeRank(program.sendPeers()[slot]) == node) {
                            assertThat(program.sendNics()[slot]).isEqualTo(ChannelProgram.NONE);
                        } else {
                            assertThat(program.sendNics()[slot]).isBetween(0, 3);
                        }
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("entries")
    void planningTwiceGivesTheSamePrograms(CollectiveCatalog.Entry entry) {
        CollectiveCatalog again = CollectiveCatalog.load();
        forAllRequests(entry, (algorithm, request) -> {
            CollectiveAlgorithm other = named(again, request.kind(), algorithm.name());
            int member = request.size() - 1;
            assertThat(other.program(request, member, 0)).isEqualTo(algorithm.program(request, member, 0));
        });
    }

    @ParameterizedTest
    @MethodSource("entries")
    void kindsOfTheFileAreThoseThatTheClassCarries(CollectiveCatalog.Entry entry) {
        for (CollectiveKind kind : CollectiveKind.values()) {
            boolean supported = IntStream.rangeClosed(1, 2)
                    .mapToObj(nodes -> new CollectiveRequest(
                            kind,
                            1 << 20,
                            Groups.firstGpus(nodes, 8),
                            Groups.cluster(nodes),
                            Groups.transport(4, 1 << 16, 1)))
                    .anyMatch(entry.algorithm()::supports);
            assertThat(supported).isEqualTo(entry.kinds().contains(kind));
        }
        assertThat(entry.descriptor().text("source")).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void nothingToMoveIsAnEmptyProgram(CollectiveCatalog.Entry entry) {
        for (CollectiveKind kind : entry.kinds()) {
            CollectiveRequest request = new CollectiveRequest(
                    kind, 0, Groups.firstGpus(2, 2), Groups.cluster(2), Groups.transport(4, 1 << 16, 1));
            for (int channel = 0; channel < entry.algorithm().channels(request); channel++) {
                assertThat(entry.algorithm().program(request, 1, channel).primitives())
                        .isEmpty();
            }
        }
    }

    @Test
    void everyKindHasAnAlgorithm() {
        for (CollectiveKind kind : CollectiveKind.values()) {
            assertThat(names(kind)).isNotEmpty();
        }
        assertThat(names(CollectiveKind.ALL_GATHER)).contains("ring");
    }

    private static List<String> names(CollectiveKind kind) {
        return CATALOG.entries().stream()
                .filter(entry -> entry.kinds().contains(kind))
                .map(entry -> entry.algorithm().name())
                .toList();
    }

    /** The bus factor of nccl-tests equals the bytes that a ring moves per byte of the buffer. */
    @Test
    void ringMovesTheBusFactor() {
        long totalBytes = 16L << 20;
        for (CollectiveKind kind :
                List.of(CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER, CollectiveKind.ALL_REDUCE)) {
            CollectiveRequest request = new CollectiveRequest(
                    kind, totalBytes, Groups.firstGpus(2, 8), Groups.cluster(2), Groups.transport(1, 1 << 16, 1));
            long sent = named(CATALOG, kind, "ring").program(request, 3, 0).sentBytes();
            assertThat(sent / (double) totalBytes).isCloseTo(kind.busFactor(16), within(1e-12));
        }
    }

    private static CollectiveAlgorithm named(CollectiveCatalog catalog, CollectiveKind kind, String name) {
        return catalog.entries().stream()
                .filter(entry -> entry.kinds().contains(kind))
                .map(CollectiveCatalog.Entry::algorithm)
                .filter(algorithm -> algorithm.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
