package io.shardsim.simulator.collective.nccl;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_TO_ALL;
import static io.shardsim.simulator.collective.CollectiveKind.BROADCAST;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NcclTransportModelTest {
    private static final long MIB = 1 << 20;

    private final NcclTransportModel model = new NcclTransportModel(
            List.of(new Named("ring"), new Named("tree"), new Named("direct"), new Named("hierarchical")));

    /** Each pair of lines is a place where a measured curve of nccl_intra_node.csv jumps. */
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

    /** Bus bandwidth falls from one size to the next at these places in the all-gathers measured on p5.48xlarge (p5.properties). */
    @ParameterizedTest
    @CsvSource({"2, 128, 256", "4, 256, 512", "8, 512, 1024"})
    void allGatherOnP5LeavesLl128WhereMeasuredBandwidthFalls(int nodes, long before, long after) {
        Cluster cluster = Machines.p5(nodes);

        assertThat(choose(ALL_GATHER, "auto", before * MIB, cluster).transport().name())
                .isEqualTo("LL128");
        assertThat(choose(ALL_GATHER, "auto", after * MIB, cluster).transport().name())
                .isEqualTo("Simple");
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
                .hasMessage("NCCL constants: no file kepler.properties; add one like ampere.properties, "
                        + "or name the architecture ampere, hopper or volta");
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

    @Test
    void aChannelMustHaveEnoughToDo() {
        // Simple asks for 512 threads x 64 B a channel, LL for 512 x 8 B x ranks.
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
        assertThat(choose(ALL_TO_ALL, "auto", 1024 * MIB, Machines.p4d(2))
                        .transport()
                        .chunkBytes())
                .isEqualTo(512 << 10);
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
        NcclTransportModel limited = new NcclTransportModel(List.of(new Named("ring")), MIB);
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
        assertThat(transport.interStepPs() + router.route(0, 8, 0).latencyPs()).isEqualTo(30_000_000);
        assertThat(transport.basePs()).isEqualTo(measured.basePs()[simple]);
    }

    @Test
    void anUnknownNetworkAddsNcclsStepToTheLatencyOfItsNics() {
        Cluster cluster = Machines.servers(4);
        Transport transport = choose(ALL_GATHER, "auto", 4096 * MIB, cluster).transport();

        assertThat(transport.name()).isEqualTo("Simple");
        assertThat(transport.interStepPs() + new Router(cluster).route(0, 8, 0).latencyPs())
                .isEqualTo(15_000_000 + 57_700_000);
    }

    @Test
    void channelsTogetherMakeTheMeasuredShareOfNvLink() {
        Cluster cluster = Machines.p4d(1);
        Transport gather = choose(ALL_GATHER, "auto", 1024 * MIB, cluster).transport();
        Transport reduce = choose(ALL_REDUCE, "auto", 1024 * MIB, cluster).transport();
        NcclGpu measured = NcclGpu.of(cluster.instance().gpu());

        assertThat(gather.copyRate().bytesPerSecond() * 24 / 232e9).isCloseTo(measured.copyRatio(), within(1e-6));
        assertThat(reduce.copyRate().bytesPerSecond() * 24 / 232e9)
                .isCloseTo(measured.allReduceCopyRatio(), within(1e-6));
        assertThat(reduce.reduceRate().bytesPerSecond() * 24 / 232e9).isCloseTo(measured.reduceRatio(), within(1e-6));
        assertThat(gather.storeRate()).isEqualTo(measured.storeRate());
    }

    @Test
    void fewChannelsAreLimitedByTheirThreadBlocks() {
        Transport transport =
                choose(ALL_GATHER, "auto", 1024 * MIB, Machines.p4d(4)).transport();

        assertThat(transport.copyRate().bytesPerSecond()).isEqualTo(20_000_000_000L);
    }

    private NcclTransportModel.Choice choose(CollectiveKind kind, String algorithm, long totalBytes, Cluster cluster) {
        return model.choose(kind, algorithm, totalBytes, Machines.everyone(cluster), cluster);
    }

    /** An algorithm of which only the name matters. */
    private record Named(String name) implements CollectiveAlgorithm {
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
