package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Copies between GPU and host memory share the PCIe links: 25 GB/s here, a switch's link to the host included. */
class HostCopyTest {
    private static final long BYTES = 100_000_000;
    /** 100 MB at 25 GB/s. */
    private static final double ALONE_MS = 4;

    private static final Bandwidth FAST = new Bandwidth(1000 * Clusters.GB);
    private static final Transport CHUNKED =
            new Transport("test", 2, 1 << 20, 1, new Transport.Delays(1, 0, 0), Transport.Rates.all(FAST), 1, 1);

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    private static Cluster cluster(int nodes, int gpus, int switches) {
        return Clusters.cluster(
                nodes, gpus, new Bandwidth(300 * Clusters.GB), switches, new Bandwidth(12_500_000_000L));
    }

    private static int copy(StepPlan.Builder plan, Stream stream, Work.Kind direction) {
        return plan.add(new Operation.Compute(stream, new Work(direction, BYTES), "copy"));
    }

    private static StepObservation run(Cluster cluster, StepPlan.Builder plan) throws Exception {
        return run(cluster, plan.build(), false);
    }

    private static StepObservation run(Cluster cluster, StepPlan plan, boolean skip) throws Exception {
        return engine.run(new SimulationSetup(
                cluster, plan, Work::amount, SimulationTest.transport(CHUNKED), Map.of(), Shortcut.allIf(skip)));
    }

    private static double milliseconds(StepObservation observed) {
        return observed.endPs() * 1e-9;
    }

    @Test
    void aCopyAloneTakesItsBytesAtTheRateOfTheLink() throws Exception {
        for (Work.Kind direction : List.of(Work.Kind.HOST_STORE, Work.Kind.HOST_LOAD)) {
            StepPlan.Builder plan = StepPlan.builder();
            copy(plan, Stream.COPY, direction);
            assertThat(milliseconds(run(cluster(1, 2, 2), plan))).isCloseTo(ALONE_MS, within(0.05));
        }
    }

    @Test
    void gpusUnderOneSwitchShareItsLinkToTheHost() throws Exception {
        StepPlan.Builder plan = StepPlan.builder();
        copy(plan, Stream.COPY, Work.Kind.HOST_STORE);
        assertThat(milliseconds(run(cluster(1, 4, 2), plan))).isCloseTo(2 * ALONE_MS, within(0.1));
    }

    @Test
    void theTwoDirectionsDoNotDisturbEachOther() throws Exception {
        StepPlan.Builder plan = StepPlan.builder();
        copy(plan, Stream.COPY, Work.Kind.HOST_STORE);
        copy(plan, Stream.REDUCE, Work.Kind.HOST_LOAD);
        assertThat(milliseconds(run(cluster(1, 2, 2), plan))).isCloseTo(ALONE_MS, within(0.1));
    }

    /** A gather uses the same links from GPU to NIC, and from NIC to GPU, as the copies. */
    @Test
    void copiesHoldUpWhatGoesToTheNetwork() throws Exception {
        Cluster cluster = Clusters.cluster(2, 2, new Bandwidth(300 * Clusters.GB), 2, new Bandwidth(25 * Clusters.GB));
        RankGroups across = new RankGroups("across", 4, 2, 2);
        Operation gather =
                new Operation.Collective(Stream.GATHER, CollectiveKind.ALL_GATHER, across, 2 * BYTES, "ring", "gather");
        StepPlan.Builder alone = StepPlan.builder();
        alone.add(gather);
        StepPlan.Builder beside = StepPlan.builder();
        beside.add(gather);
        for (int i = 0; i < 4; i++) {
            copy(beside, Stream.COPY, Work.Kind.HOST_STORE);
        }
        double quiet = gatherMilliseconds(run(cluster, alone));
        double disturbed = gatherMilliseconds(run(cluster, beside));
        assertThat(disturbed).isGreaterThan(1.2 * quiet);
    }

    private static double gatherMilliseconds(StepObservation observed) {
        return observed.timeline().stream()
                .filter(span -> span.label().equals("gather"))
                .mapToDouble(span -> (span.endPs() - span.startPs()) * 1e-9)
                .sum();
    }

    @Test
    void fastForwardAndLeavingOutNodesChangeNothing() throws Exception {
        StepPlan.Builder builder = StepPlan.builder();
        int previous = -1;
        for (int layer = 0; layer < 30; layer++) {
            builder.mark(0);
            int forward = builder.add(
                    new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 7_000_000_000L), "forward"),
                    previous);
            previous = builder.add(
                    new Operation.Compute(Stream.COPY, new Work(Work.Kind.HOST_STORE, 3_000_001), "store"), forward);
        }
        StepPlan plan = builder.build();
        StepObservation all = run(cluster(2, 4, 2), plan, false);
        StepObservation skipped = run(cluster(2, 4, 2), plan, true);
        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.executedEvents()).isLessThan(all.executedEvents() / 3);
    }

    @Test
    void linksToTheHostAreAccountedForWhereTheyAreUsed() throws Exception {
        StepPlan.Builder plan = StepPlan.builder();
        copy(plan, Stream.COPY, Work.Kind.HOST_STORE);
        List<LinkTotals> used = run(cluster(1, 2, 1), plan).links();
        StepPlan.Builder nothing = StepPlan.builder();
        nothing.add(new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 1), "forward"));
        List<LinkTotals> unused = run(cluster(1, 2, 1), nothing).links();
        assertThat(used).hasSize(unused.size() + 1);
        LinkTotals host = used.stream()
                .filter(link -> link.device().equals("Node[0].PcieSwitch[0]") && link.chunks() > 0)
                .findFirst()
                .orElseThrow();
        assertThat(host.bytes()).isBetween(2 * BYTES, 2 * BYTES + 1000);
    }
}
