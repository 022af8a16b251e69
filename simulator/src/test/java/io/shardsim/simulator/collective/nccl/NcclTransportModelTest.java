package io.shardsim.simulator.collective.nccl;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_TO_ALL;
import static io.shardsim.simulator.collective.CollectiveKind.BROADCAST;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static io.shardsim.simulator.collective.CollectiveKind.SEND_RECV;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveAlgorithm.Pattern;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel.Choice;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.Router;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NcclTransportModelTest {
    private static final long MIB = 1 << 20;

    private final NcclTransportModel model = new NcclTransportModel(List.of(
            new Named("ring", Pattern.RING),
            new Named("tree", Pattern.TREE),
            new Named("direct", Pattern.DIRECT),
            new Named("hierarchical", Pattern.HIERARCHICAL)));

    private final NcclTransportModel catalog =
            new NcclTransportModel(CollectiveCatalog.load().algorithms());

    /** Each pair of lines is a jump of a measured curve in nccl_intra_node.csv. */
    @ParameterizedTest
    @CsvSource({
        "ampere, 232 GB/s, ALL_GATHER,     2,  1, LL",
        "ampere, 232 GB/s, ALL_GATHER,     2,  2, Simple",
        "ampere, 232 GB/s, ALL_GATHER,     8,  8, LL128",
        "ampere, 232 GB/s, ALL_GATHER,     8, 16, Simple",
        "ampere, 232 GB/s, REDUCE_SCATTER, 4,  1, LL",
        "ampere, 232 GB/s, REDUCE_SCATTER, 4,  2, Simple",
        "hopper, 387 GB/s, ALL_GATHER,     4,  2, LL",
        "hopper, 387 GB/s, ALL_GATHER,     4,  4, Simple",
        "hopper, 387 GB/s, REDUCE_SCATTER, 8, 16, LL128",
        "hopper, 387 GB/s, REDUCE_SCATTER, 8, 32, Simple",
    })
    void protocolInANodeChangesWhereMeasuredCurvesJump(
            String architecture, String nvLink, CollectiveKind kind, int gpus, long mib, String protocol) {
        Cluster cluster = Machines.server(architecture, nvLink, gpus);

        assertThat(choose(kind, "auto", mib * MIB, cluster).transport().name()).isEqualTo(protocol);
    }

    /** At these places, bus bandwidth falls from one size to the next in the all-gathers measured on p5.48xlarge (p5.properties). */
    @ParameterizedTest
    @CsvSource({"2, 128, 256", "4, 256, 512", "8, 512, 1024"})
    void allGatherOnP5LeavesLl128WhereMeasuredBandwidthFalls(int nodes, long before, long after) {
        Cluster cluster = Machines.p5(nodes);

        assertThat(choose(ALL_GATHER, "auto", before * MIB, cluster).transport().name())
                .isEqualTo("LL128");
        assertThat(choose(ALL_GATHER, "auto", after * MIB, cluster).transport().name())
                .isEqualTo("Simple");
    }

    /** Where AWS's plugin changes its choice, the bandwidth measured on p5.48xlarge has a step. */
    @ParameterizedTest
    @CsvSource({
        "2, 4, tree, LL128",
        "2, 64, nvls-tree, Simple",
        "2, 1024, nvls-tree, Simple",
        "4, 32, tree, LL128",
        "4, 64, ring, LL128",
        "4, 1024, ring, LL128",
        "4, 2048, ring, Simple",
        "8, 64, tree, LL128",
        "8, 128, ring, LL128",
        "8, 2048, ring, LL128",
        "8, 4096, ring, Simple",
        "16, 256, tree, LL128",
        "16, 512, ring, LL128",
        "16, 2048, ring, LL128",
        "16, 4096, nvls-tree, Simple",
        "16, 8192, ring, Simple",
        "32, 256, tree, LL128",
        "32, 512, nvls-tree, Simple",
        "32, 1024, nvls-tree, Simple",
        "32, 2048, ring, LL128",
        "32, 4096, nvls-tree, Simple",
    })
    void allReduceOnP5GoesTheWayThatThePluginPrefers(int nodes, long mib, String algorithm, String protocol) {
        Cluster cluster = Machines.p5(nodes);
        Choice choice = catalog.choose(ALL_REDUCE, "auto", mib * MIB, Machines.everyone(cluster), cluster);

        assertThat(choice.algorithm().name() + " " + choice.transport().name()).isEqualTo(algorithm + " " + protocol);
    }

    @Test
    void thePluginPrefersAnotherWayForOneGpuOfEachNode() {
        Cluster cluster = Machines.p5(8);
        int[] members = IntStream.range(0, 8).map(node -> 8 * node + 5).toArray();
        Choice choice = catalog.choose(ALL_REDUCE, "auto", 4 * MIB, members, cluster);

        assertThat(choice.algorithm().name()).isEqualTo("ring");
        assertThat(choice.transport().name()).isEqualTo("LL128");
    }

    @Test
    void thePluginDecidesOnlyBetweenWaysThatAreOpen() {
        Cluster cluster = Machines.p5(32);
        Choice choice = catalog.choose(ALL_REDUCE, "ring", 1024 * MIB, Machines.everyone(cluster), cluster);

        assertThat(choice.algorithm().name()).isEqualTo("ring");
    }

    @ParameterizedTest
    @CsvSource({
        "hopper, 387 GB/s, 8, 1, ring",
        "hopper, 387 GB/s, 8, 2, nvls",
        "hopper, 387 GB/s, 4, 64, ring",
        "hopper, 387 GB/s, 2, 64, ring",
        "ampere, 232 GB/s, 8, 64, ring",
    })
    void theSwitchAddsUpOnHopperWhereNcclTakesItToBeFaster(
            String architecture, String nvLink, int gpus, long mib, String algorithm) {
        Cluster cluster = Machines.server(architecture, nvLink, gpus);
        Choice choice = catalog.choose(ALL_REDUCE, "auto", mib * MIB, Machines.everyone(cluster), cluster);

        assertThat(choice.algorithm().name()).isEqualTo(algorithm);
    }

    /** Without a switch there is no switch reduction, and two of four GPUs have a third of the links and of the channels. */
    @Test
    void withoutASwitchAGroupHasTheLinksAmongItsMembers() {
        Cluster four = Machines.server("hopper", "387 GB/s", 4, NvLinks.MESH);
        assertThatThrownBy(() -> catalog.choose(ALL_REDUCE, "nvls", 1024 * MIB, Machines.everyone(four), four))
                .hasMessageStartingWith("algorithm nvls cannot carry all_reduce over 4 ranks");
        Transport whole = catalog.choose(ALL_GATHER, "auto", 1024 * MIB, Machines.everyone(four), four)
                .transport();
        Transport pair = catalog.choose(ALL_GATHER, "auto", 1024 * MIB, new int[] {0, 1}, four)
                .transport();

        assertThat(pair.channels()).isEqualTo(whole.channels() / 3);
        double pairRate = (double) pair.channels() * pair.copyRate().bytesPerSecond();
        double wholeRate = (double) whole.channels() * whole.copyRate().bytesPerSecond();
        assertThat(pairRate).isCloseTo(wholeRate / 3, withinPercentage(0.1));
    }

    /** Returns the algorithms shipped as classes, and all those written as rounds in files. */
    private static String able(CollectiveKind kind, String... classes) {
        Stream<String> rounds = CollectiveCatalog.shipped().entries().stream()
                .filter(entry -> entry.kinds().contains(kind)
                        && entry.descriptor().text("class").isEmpty())
                .map(entry -> entry.algorithm().name());
        return Stream.concat(Stream.of(classes), rounds).sorted().collect(Collectors.joining(", "));
    }

    @Test
    void aSwitchThatCannotAddUpIsRefusedWithWhatCan() {
        Cluster cluster = Machines.p4d(2);
        assertThatThrownBy(() -> catalog.choose(ALL_REDUCE, "nvls-tree", MIB, Machines.everyone(cluster), cluster))
                .hasMessage("algorithm nvls-tree cannot carry all_reduce over 16 ranks of 2 nodes; these can: "
                        + able(ALL_REDUCE, "ring", "smddp", "tree"));
    }

    /** src/enqueue.cc, calcCollChunking: four channels merged into one, a piece for each of eight heads. */
    @ParameterizedTest
    @CsvSource({"1, 4, 16", "1, 32, 32", "1, 512, 64", "1, 1024, 128", "2, 32, 64", "2, 512, 128", "4, 2048, 64"})
    void piecesForTheSwitchGrowWithTheBuffer(int nodes, long mib, long pieceKib) {
        Cluster cluster = Machines.p5(nodes);
        Choice choice = catalog.choose(
                ALL_REDUCE, nodes == 1 ? "nvls" : "nvls-tree", mib * MIB, Machines.everyone(cluster), cluster);

        assertThat(choice.transport().chunkBytes()).isEqualTo(4 * 8 * pieceKib * 1024);
    }

    @Test
    void p4dUsesSimpleForEverySizeInsideANodeToo() {
        for (int nodes : new int[] {1, 32}) {
            for (long bytes = 1024; bytes <= 1024 * MIB; bytes *= 4) {
                assertThat(choose(ALL_GATHER, "auto", bytes, Machines.p4d(nodes))
                                .transport()
                                .name())
                        .isEqualTo("Simple");
            }
        }
    }

    @Test
    void twoNodesReduceOverATreeAndGatherOverARing() {
        assertThat(choose(ALL_REDUCE, "auto", 1024 * MIB, Machines.p4d(2))
                        .algorithm()
                        .name())
                .isEqualTo("tree");
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(2))
                        .algorithm()
                        .name())
                .isEqualTo("ring");
        assertThat(choose(ALL_TO_ALL, "auto", 1024 * MIB, Machines.p4d(2))
                        .algorithm()
                        .name())
                .isEqualTo("direct");
    }

    @Test
    void sendsToPeersUseLlWhileSmallAndSimpleOtherwise() {
        assertThat(choose(ALL_TO_ALL, "auto", MIB, Machines.p5(8)).transport().name())
                .isEqualTo("LL");
        assertThat(choose(ALL_TO_ALL, "auto", 2 * MIB, Machines.p5(8))
                        .transport()
                        .name())
                .isEqualTo("Simple");
        assertThat(choose(ALL_TO_ALL, "auto", 1024, Machines.p4d(8)).transport().name())
                .isEqualTo("Simple");
    }

    @Test
    void anAlgorithmAskedForByNameIsTaken() {
        assertThat(choose(ALL_GATHER, "hierarchical", 64 * MIB, Machines.p4d(4))
                        .algorithm()
                        .name())
                .isEqualTo("hierarchical");
        assertThat(choose(ALL_REDUCE, "ring", 64 * MIB, Machines.p4d(2))
                        .algorithm()
                        .name())
                .isEqualTo("ring");
    }

    @Test
    void anUnknownAlgorithmIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> choose(ALL_GATHER, "rnig", MIB, Machines.p4d(2)))
                .hasMessage("algorithm rnig cannot carry all_gather over 16 ranks of 2 nodes; "
                        + "these can: ring, tree, direct, hierarchical");
    }

    @Test
    void anArchitectureWithoutConstantsIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> choose(ALL_GATHER, "auto", MIB, Machines.server("kepler", "10 GB/s", 8)))
                .hasMessage("no NCCL constants of the architecture kepler: there is no catalog/nccl/gpus/kepler.yaml"
                        + " on the class path; known: " + String.join(", ", NcclCatalog.GPUS.names()));
    }

    @Test
    void eachRingBetweenNodesIsUsedTwice() {
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(4))
                        .transport()
                        .channels())
                .isEqualTo(8);
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p5(4))
                        .transport()
                        .channels())
                .isEqualTo(16);
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p3dn(4))
                        .transport()
                        .channels())
                .isEqualTo(2);
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(1))
                        .transport()
                        .channels())
                .isEqualTo(24);
    }

    @Test
    void aGroupOfOneGpuPerNodeHasTheRingsOfItsOwnSwitch() {
        int[] members = {3, 11, 19, 27};

        Transport transport = model.choose(ALL_GATHER, "auto", 256 * MIB, members, Machines.p4d(4))
                .transport();

        assertThat(transport.channels()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 8", "4, 16", "8, 16"})
    void fewFastRingsAreDoubled(int perNode, int channels) {
        int[] members =
                IntStream.range(0, 32).filter(rank -> rank % 8 < perNode).toArray();

        Transport transport = model.choose(ALL_GATHER, "auto", 1024 * MIB, members, Machines.p5(4))
                .transport();

        assertThat(transport.channels()).isEqualTo(channels);
    }

    @Test
    void aChannelMustHaveEnoughToDo() {
        // Simple requires 512 threads x 64 B per channel, LL 512 x 8 B x ranks.
        assertThat(choose(ALL_GATHER, "auto", 100 << 10, Machines.p4d(4))
                        .transport()
                        .channels())
                .isEqualTo(3);
        Transport small = choose(ALL_GATHER, "auto", 128 << 10, Machines.server("ampere", "232 GB/s", 8))
                .transport();
        assertThat(small.name()).isEqualTo("LL");
        assertThat(small.channels()).isEqualTo(4);
    }

    @Test
    void chunksAreHalfTheBufferInRingsAndSmallerTowardsPeersAndAlongChains() {
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(2))
                        .transport()
                        .chunkBytes())
                .isEqualTo(4 * MIB);
        assertThat(choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p3dn(2))
                        .transport()
                        .chunkBytes())
                .isEqualTo(2 * MIB);
        for (CollectiveKind sends : List.of(ALL_TO_ALL, SEND_RECV)) {
            assertThat(choose(sends, "auto", 1024 * MIB, Machines.p4d(2))
                            .transport()
                            .chunkBytes())
                    .isEqualTo(512 << 10);
        }
        assertThat(choose(ALL_GATHER, "hierarchical", 1024 * MIB, Machines.p4d(2))
                        .transport()
                        .chunkBytes())
                .isEqualTo(4 * MIB);
        assertThat(choose(BROADCAST, "auto", 1024 * MIB, Machines.p4d(2))
                        .transport()
                        .chunkBytes())
                .isEqualTo(MIB);
    }

    @Test
    void aTreeCutsSmallBuffersSmallerSoThatItsLevelsOverlap() {
        long large = choose(ALL_REDUCE, "tree", 2048 * MIB, Machines.p4d(2))
                .transport()
                .chunkBytes();
        long small =
                choose(ALL_REDUCE, "tree", 8 * MIB, Machines.p4d(2)).transport().chunkBytes();

        assertThat(large).isEqualTo(MIB);
        assertThat(small).isEqualTo(64 << 10);
    }

    @Test
    void aChunkAskedForIsNotExceeded() {
        NcclTransportModel limited = new NcclTransportModel(List.of(new Named("ring", Pattern.RING)), MIB);
        Cluster cluster = Machines.p4d(2);

        assertThat(limited.choose(ALL_GATHER, "auto", 1024 * MIB, Machines.everyone(cluster), cluster)
                        .transport()
                        .chunkBytes())
                .isEqualTo(MIB);
    }

    @Test
    void stepAndRouteTogetherTakeWhatAStepWasMeasuredToTake() {
        Cluster cluster = Machines.p4d(4);
        Transport transport =
                choose(REDUCE_SCATTER, "auto", 1024 * MIB, cluster).transport();
        Router router = new Router(cluster);
        NcclGpu measured = NcclGpu.of(cluster.instance().gpu());
        int simple = Protocol.SIMPLE.ordinal();

        assertThat(transport.intraStepPs() + router.route(0, 1, 0).latencyPs())
                .isEqualTo(measured.nvLinkStepPs()[simple]);
        assertThat(transport.interStepPs() + router.route(0, 8, 0).latencyPs()).isEqualTo(30_000_000 + 31_000_000);
        assertThat(transport.basePs()).isEqualTo(measured.basePs()[simple]);
    }

    /** Shards of 32 ranks over channels: two of 8 KiB each, then one of 16; a tree carries pieces of the whole buffer. */
    @ParameterizedTest
    @CsvSource({
        "ALL_GATHER, ring, 512, 30",
        "ALL_GATHER, ring, 1024, 30",
        "ALL_GATHER, ring, 4096, 61",
        "ALL_REDUCE, tree, 8, 30",
        "ALL_REDUCE, tree, 512, 61"
    })
    void messagesThatFillMoreThanAPacketWaitForTheReceiverOnP4d(
            CollectiveKind kind, String algorithm, long kib, long stepUs) {
        Cluster cluster = Machines.p4d(4);
        Transport transport = choose(kind, algorithm, kib << 10, cluster).transport();

        assertThat(transport.interStepPs() + new Router(cluster).route(0, 8, 0).latencyPs())
                .isEqualTo(stepUs * 1_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "ALL_GATHER, 2, 8, 8, 14",
        "ALL_GATHER, 3, 8, 8, 65.7",
        "REDUCE_SCATTER, 4, 8, 8, 65.7",
        "ALL_REDUCE, 4, 8, 8, 14",
        "ALL_GATHER, 4, 4, 8, 65.7",
        "ALL_GATHER, 4, 8, 4, 14"
    })
    void anUnknownNetworkAddsAStepToTheLatencyOfItsNicsALongerOneInLongRings(
            CollectiveKind kind, int nodes, int nics, int ranksPerNode, double beyondNicUs) {
        Cluster cluster = Machines.servers(nodes, nics);
        int[] members = Arrays.stream(Machines.everyone(cluster))
                .filter(rank -> rank % cluster.gpusPerNode() < ranksPerNode)
                .toArray();
        Transport transport =
                model.choose(kind, "ring", 4096 * MIB, members, cluster).transport();

        assertThat(transport.name()).isEqualTo("Simple");
        assertThat(transport.interStepPs() + new Router(cluster).route(0, 8, 0).latencyPs())
                .isEqualTo(15_000_000 + (long) (beyondNicUs * 1e6));
    }

    @Test
    void channelsTogetherMakeTheMeasuredShareOfNvLink() {
        Cluster cluster = Machines.p4d(1);
        Transport gather = choose(ALL_GATHER, "auto", 1024 * MIB, cluster).transport();
        Transport reduce = choose(ALL_REDUCE, "auto", 1024 * MIB, cluster).transport();
        NcclGpu measured = NcclGpu.of(cluster.instance().gpu());

        assertThat(gather.copyRate().bytesPerSecond() * 24 / 232e9)
                .isCloseTo(measured.rates().copyRatio(), within(1e-6));
        assertThat(reduce.copyRate().bytesPerSecond() * 24 / 232e9)
                .isCloseTo(measured.rates().allReduceCopyRatio(), within(1e-6));
        assertThat(reduce.reduceRate().bytesPerSecond() * 24 / 232e9)
                .isCloseTo(measured.rates().reduceRatio(), within(1e-6));
        assertThat(gather.storeRate()).isEqualTo(measured.rates().store());
    }

    @Test
    void fewChannelsAreLimitedByTheirThreadBlocks() {
        Transport transport =
                choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(4)).transport();

        assertThat(transport.copyRate().bytesPerSecond()).isEqualTo(20_000_000_000L);
    }

    private Choice choose(CollectiveKind kind, String algorithm, long totalBytes, Cluster cluster) {
        return model.choose(kind, algorithm, totalBytes, Machines.everyone(cluster), cluster);
    }

    /** Algorithm of which only the name matters. */
    private record Named(String name, Pattern pattern) implements CollectiveAlgorithm {
        @Override
        public boolean supports(CollectiveRequest request) {
            return true;
        }

        @Override
        public int channels(CollectiveRequest request) {
            return request.transport().channels();
        }

        @Override
        public ChannelProgram program(CollectiveRequest request, int member, int channel) {
            throw new UnsupportedOperationException();
        }
    }
}
