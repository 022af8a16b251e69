package io.shardsim.simulator.collective;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.topology.units.Bandwidth;
import org.junit.jupiter.api.Test;

/** Times and pipelining of the schedules, with timing simple enough to compute by hand. */
class SimpleTimingTest {
    /** Four NICs of 12.5 GB/s per node, as in {@link Groups#cluster}. */
    private static final SimpleTiming P4D_LIKE = new SimpleTiming(12.5, 250, 20, 35_000, 4_000);

    private static final double NODE_BYTES_PER_NS = 4 * 12.5;

    private static CollectiveRequest request(CollectiveKind kind, long totalBytes, int nodes, long chunkBytes) {
        Bandwidth copyRate = new Bandwidth(20_000_000_000L);
        Transport transport = new Transport(
                "Simple",
                8,
                chunkBytes,
                2,
                new Transport.Delays(0, 4_000_000, 35_000_000),
                Transport.Rates.all(copyRate),
                1.0,
                1);
        return new CollectiveRequest(kind, totalBytes, Groups.firstGpus(nodes, 8), Groups.cluster(nodes), transport);
    }

    /** (n - 1)(S / (n B) + a), with the thread blocks' copies overlapped with the link, plus the last copy. */
    @Test
    void ringAllGatherTakesItsStepsOneAfterTheOther() {
        CollectiveRequest request = new CollectiveRequest(
                ALL_GATHER, 8 * 100_000, Groups.firstGpus(1, 8), Groups.cluster(1), Groups.transport(1, 1 << 20, 1));
        double stepNs = 100_000 / 20.0 + 100_000 / 250.0 + 4_000;
        assertThat(P4D_LIKE.run(new RingAllGather(), request)).isCloseTo(7 * stepNs + 100_000 / 20.0, within(1e-3));
    }

    @Test
    void hierarchicalCollectivesKeepTheNetworkBusy() {
        for (int nodes : new int[] {2, 8}) {
            long totalBytes = 64 << 20;
            double networkNs = totalBytes * (nodes - 1.0) / nodes / NODE_BYTES_PER_NS;
            double gatherNs =
                    P4D_LIKE.run(new HierarchicalAllGather(), request(ALL_GATHER, totalBytes, nodes, 1 << 17));
            double scatterNs =
                    P4D_LIKE.run(new HierarchicalReduceScatter(), request(REDUCE_SCATTER, totalBytes, nodes, 1 << 17));
            assertThat(gatherNs).isBetween(networkNs, 1.2 * networkNs);
            assertThat(scatterNs).isBetween(networkNs, 1.2 * networkNs);
        }
    }

    @Test
    void pipeliningTheTwoStagesPaysAtEverySize() {
        for (long totalBytes : new long[] {1 << 20, 16 << 20, 64 << 20}) {
            CollectiveRequest request = request(ALL_GATHER, totalBytes, 4, 1 << 17);
            double pipelinedNs = P4D_LIKE.run(new HierarchicalAllGather(), request);
            assertThat(pipelinedNs).isLessThan(P4D_LIKE.run(new BatchedHierarchicalAllGather(), request));
            assertThat(pipelinedNs).isLessThan(P4D_LIKE.run(new RingAllGather(), request));
        }
    }

    /** Each node sends the buffer up once and down once, over both trees together. */
    @Test
    void treeRunsBothDirectionsAtOnce() {
        long totalBytes = 64 << 20;
        double networkNs = 2 * totalBytes / NODE_BYTES_PER_NS;
        for (long chunkBytes : new long[] {1 << 15, 1 << 17}) {
            double treeNs = P4D_LIKE.run(new TreeAllReduce(), request(ALL_REDUCE, totalBytes, 4, chunkBytes));
            assertThat(treeNs).isBetween(0.9 * networkNs, 1.3 * networkNs);
        }
    }

    @Test
    void treeBeatsTheRingWhereLatencyCounts() {
        CollectiveRequest request = request(ALL_REDUCE, 1 << 20, 16, 1 << 15);
        assertThat(P4D_LIKE.run(new TreeAllReduce(), request))
                .isLessThan(P4D_LIKE.run(new RingAllReduce(), request) / 3);
    }
}
