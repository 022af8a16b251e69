package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.HierarchicalAllGather;
import io.shardsim.simulator.collective.RingAllGather;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.device.Pace;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EdgeRatesTest {
    private static final int CHANNELS = 2;
    private static final int MULTIPROCESSORS_INSIDE = 12;
    private static final long NODE_NICS = 4 * 12_500_000_000L;

    private final Cluster cluster = Clusters.likeP4d(2);

    private List<Pace> sending(String algorithm, int member) {
        Bandwidth unbounded = new Bandwidth(Long.MAX_VALUE);
        Transport transport = new Transport(
                "test",
                CHANNELS,
                1L << 40,
                1,
                new Transport.Delays(1, 0, 0),
                Transport.Rates.all(unbounded),
                1,
                MULTIPROCESSORS_INSIDE);
        CollectiveSchedules.Scheduled scheduled = new CollectiveSchedules(
                        cluster,
                        new UniformTransport(transport, List.of(new RingAllGather(), new HierarchicalAllGather())))
                .schedule(
                        new Operation.Collective(
                                Stream.GATHER,
                                CollectiveKind.ALL_GATHER,
                                new RankGroups("world", 16, 16, 1),
                                1L << 30,
                                algorithm,
                                "gather"),
                        0);
        EdgeRates paces = new EdgeRates(cluster, new Router(cluster), scheduled);
        return Arrays.asList(paces.sending(0, scheduled.program(member, 0)));
    }

    @Test
    void everyEdgeOfAFlatRingKeepsThePaceOfTheOneBetweenNodes() {
        for (int member = 0; member < 16; member++) {
            assertThat(sending("ring", member)).singleElement().satisfies(pace -> {
                assertThat(pace.rate().bytesPerSecond()).isEqualTo(NODE_NICS / CHANNELS);
                assertThat(pace.multiprocessors()).isEqualTo(1);
            });
        }
    }

    @Test
    void aHierarchicalGatherSharesTheNicsInItsFirstStageAndLeavesThemAloneInItsSecond() {
        List<Pace> paces = sending("hierarchical", 3);
        assertThat(paces.get(0).rate().bytesPerSecond()).isEqualTo(NODE_NICS / 8 / CHANNELS);
        assertThat(paces.get(0).multiprocessors()).isEqualTo(1);
        assertThat(paces.get(1).rate().bytesPerSecond()).isEqualTo(300_000_000_000L / CHANNELS);
        assertThat(paces.get(1).multiprocessors()).isEqualTo(MULTIPROCESSORS_INSIDE);
    }
}
