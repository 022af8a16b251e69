package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.HierarchicalAllGather;
import io.shardsim.simulator.collective.RingAllGather;
import io.shardsim.simulator.collective.RingAllReduce;
import io.shardsim.simulator.collective.RingReduceScatter;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Whole runs on small clusters, compared with theory and with themselves without shortcuts. */
class SimulationTest {
    /** Work of eight equal kernels. */
    private static final WorkTimes EIGHT_KERNELS = kernels(8);

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    static UniformTransport transport(Transport transport) {
        return new UniformTransport(
                transport, List.of(new RingAllGather(), new RingReduceScatter(), new RingAllReduce()));
    }

    static StepPlan bare(CollectiveKind kind, String algorithm, long bytes, Cluster cluster) {
        RankGroups world = new RankGroups("world", cluster.worldSize(), cluster.worldSize(), 1);
        StepPlan.Builder plan = StepPlan.builder();
        plan.add(new Operation.Collective(Stream.GATHER, kind, world, bytes, algorithm, kind.id()));
        return plan.build();
    }

    static StepObservation run(Cluster cluster, StepPlan plan, Transport transport, boolean skip) throws Exception {
        return run(cluster, plan, transport, Shortcut.allIf(skip));
    }

    private static StepObservation run(Cluster cluster, StepPlan plan, Transport transport, Set<Shortcut> shortcuts)
            throws Exception {
        return engine.run(new SimulationSetup(cluster, plan, EIGHT_KERNELS, transport(transport), Map.of(), shortcuts));
    }

    @Test
    void ringAllGatherOnAUniformLinkTakesWhatTheorySays() throws Exception {
        Cluster cluster = Clusters.cluster(1, 8, new Bandwidth(100 * Clusters.GB), 1, new Bandwidth(Clusters.GB));
        long bytes = 8L * 1_024_000;
        Transport ideal = UniformTransport.ideal(1);
        StepObservation observed = run(cluster, bare(CollectiveKind.ALL_GATHER, "ring", bytes, cluster), ideal, false);

        long stepPs = 10_240_000 + 1_000_000; // 1.024 MB at 100 GB/s, and 1 us from GPU to GPU
        // The launch takes one picosecond, and so does the thread block to store the last shard.
        assertThat(observed.endPs()).isEqualTo(1 + 7 * stepPs + 1);
    }

    @Test
    void leavingOutEqualNodesChangesNothing() throws Exception {
        Cluster cluster = Clusters.likeP4d(4);
        for (CollectiveKind kind :
                List.of(CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER, CollectiveKind.ALL_REDUCE)) {
            StepPlan plan = bare(kind, "ring", 100_000_001, cluster);
            StepObservation all = run(cluster, plan, UniformTransport.ideal(4), false);
            StepObservation folded = run(cluster, plan, UniformTransport.ideal(4), Set.of(Shortcut.FOLD_NODES));

            assertThat(folded.digest()).isEqualTo(all.digest());
            assertThat(folded.links()).isEqualTo(all.links());
            assertThat(folded.executedEvents() * 4).isEqualTo(all.executedEvents());
        }
    }

    @Test
    void fastForwardChangesNothing() throws Exception {
        Cluster cluster = Clusters.likeP4d(2);
        RankGroups world = new RankGroups("world", 16, 16, 1);
        StepPlan.Builder builder = StepPlan.builder();
        int previous = -1;
        int beforePrevious = -1;
        for (int layer = 0; layer < 40; layer++) {
            builder.mark(0);
            int gather = builder.add(
                    new Operation.Collective(
                            Stream.GATHER, CollectiveKind.ALL_GATHER, world, 50_000_000, "ring", "gather"),
                    beforePrevious);
            int compute = builder.add(
                    new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 6_000_000_000L), "forward"),
                    gather);
            builder.add(
                    new Operation.Collective(
                            Stream.REDUCE, CollectiveKind.REDUCE_SCATTER, world, 50_000_000, "ring", "reduce"),
                    compute);
            beforePrevious = previous;
            previous = compute;
        }
        StepPlan plan = builder.build();
        StepObservation all = run(cluster, plan, UniformTransport.ideal(4), false);
        StepObservation skipped = run(cluster, plan, UniformTransport.ideal(4), true);

        assertThat(skipped.digest()).isEqualTo(all.digest());
        assertThat(skipped.timeline()).isEqualTo(all.timeline());
        assertThat(skipped.simulatedEvents()).isEqualTo(all.simulatedEvents()).isEqualTo(all.executedEvents());
        assertThat(skipped.executedEvents()).isLessThan(all.executedEvents() / 8);
    }

    @Test
    void aCollectiveWaitsForTheKernelThatRunsUnlessItsStreamIsIssuedFirst() throws Exception {
        Cluster cluster = Clusters.likeP4d(2);
        RankGroups world = new RankGroups("world", 16, 16, 1);
        for (Stream stream : List.of(Stream.GATHER, Stream.TENSOR)) {
            StepPlan.Builder builder = StepPlan.builder();
            builder.add(new Operation.Compute(
                    Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 1_000_000_000L), "forward"));
            builder.add(
                    new Operation.Collective(stream, CollectiveKind.ALL_GATHER, world, 8_000_000, "ring", "gather"));
            long waited = busyPs(cluster, builder.build(), stream, kernels(5))
                    - busyPs(cluster, builder.build(), stream, Work::amount);
            assertThat(waited).as("16 of 17 parts of a kernel").isEqualTo(stream == Stream.GATHER ? 188_235_294L : 0);
        }
    }

    @Test
    void copiesThatWaitedSetTheRanksOfACollectiveFurtherApart() throws Exception {
        Cluster cluster = Clusters.likeP4d(2);
        long[] waited = new long[2];
        for (int copies = 0; copies < waited.length; copies++) {
            StepPlan.Builder builder = StepPlan.builder();
            builder.add(new Operation.Compute(
                    Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 1_000_000_000L), "forward"));
            for (int i = 0; i < copies; i++) {
                builder.add(new Operation.Compute(Stream.GATHER, new Work(Work.Kind.MEMORY_COPY, 1_000_000L), "copy"));
            }
            builder.add(new Operation.Collective(
                    Stream.GATHER,
                    CollectiveKind.ALL_GATHER,
                    new RankGroups("world", 16, 16, 1),
                    8_000_000,
                    "ring",
                    "gather"));
            waited[copies] = busyPs(cluster, builder.build(), Stream.GATHER, kernels(5))
                    - busyPs(cluster, builder.build(), Stream.GATHER, Work::amount);
        }
        double averagePs = 100_000_000;
        double beyondPs = 200_000_000 * (16 / 17.0) - averagePs;
        assertThat((double) waited[0]).isCloseTo(averagePs + beyondPs, within(2.0));
        assertThat((double) waited[1]).isCloseTo(2 * averagePs + Math.sqrt(2) * beyondPs, within(2.0));
    }

    private static long busyPs(Cluster cluster, StepPlan plan, Stream stream, WorkTimes times) throws Exception {
        StepObservation observed = engine.run(new SimulationSetup(
                cluster, plan, times, transport(UniformTransport.ideal(4)), Map.of(), Shortcut.allIf(true)));
        return observed.ranks().get(0).busyPs().get(stream);
    }

    /** Returns the work of a number of kernels of equal length. */
    static WorkTimes kernels(int count) {
        return new WorkTimes() {
            @Override
            public long ps(Work work) {
                return work.amount();
            }

            @Override
            public int memoryPerMille(Work work) {
                return work.kind() == Work.Kind.MEMORY_COPY ? 1000 : 0;
            }

            @Override
            public long waitPs(Work work, int ranks) {
                return work.amount() * ranks / ((ranks + 1L) * count);
            }
        };
    }

    @Test
    void aLateRankDelaysItsGroupAndNobodyElse() throws Exception {
        Cluster cluster = Clusters.likeP4d(2);
        RankGroups nodes = new RankGroups("node", 16, 8, 1);
        StepPlan.Builder builder = StepPlan.builder();
        int compute = builder.add(
                new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 1_000_000_000L), "forward"));
        builder.add(
                new Operation.Collective(Stream.GATHER, CollectiveKind.ALL_GATHER, nodes, 8_000_000, "ring", "gather"),
                compute);
        StepObservation punctual = engine.run(new SimulationSetup(
                cluster,
                builder.build(),
                Work::amount,
                transport(UniformTransport.ideal(4)),
                Map.of(),
                Shortcut.allIf(true)));
        StepObservation late = engine.run(new SimulationSetup(
                cluster,
                builder.build(),
                Work::amount,
                transport(UniformTransport.ideal(4)),
                Map.of(3, 1_500L),
                Shortcut.allIf(true)));

        for (int rank = 0; rank < 8; rank++) {
            assertThat(late.ranks().get(rank).finishPs())
                    .isGreaterThanOrEqualTo(punctual.ranks().get(rank).finishPs() + 400_000_000L);
        }
        assertThat(late.ranks().subList(8, 16)).isEqualTo(punctual.ranks().subList(8, 16));
    }

    @Test
    void aHierarchicalGatherBringsEachNodeWhatItsRanksLackOnce() throws Exception {
        Cluster cluster = Clusters.likeP4d(4);
        long bytes = 32L * 4 * 64_000;
        UniformTransport transport =
                new UniformTransport(UniformTransport.ideal(4), List.of(new HierarchicalAllGather()));
        StepObservation observed = engine.run(new SimulationSetup(
                cluster,
                bare(CollectiveKind.ALL_GATHER, "hierarchical", bytes, cluster),
                Work::amount,
                transport,
                Map.of(),
                Shortcut.allIf(true)));

        for (int node = 0; node < 4; node++) {
            int rank = node;
            long arrived = observed.links().stream()
                    .filter(link -> link.device().equals("Fabric.Leaf[" + rank + "]"))
                    .filter(link -> link.linkClass() == LinkClass.NIC)
                    .mapToLong(LinkTotals::bytes)
                    .sum();
            assertThat(arrived).isEqualTo(bytes * (32 - 8) / 32);
        }
    }

    @Test
    void theSameQuestionHasTheSameAnswer() throws Exception {
        Cluster cluster = Clusters.likeP4d(2);
        StepPlan plan = bare(CollectiveKind.ALL_REDUCE, "ring", 64_000_003, cluster);

        assertThat(run(cluster, plan, UniformTransport.ideal(4), true))
                .isEqualTo(run(cluster, plan, UniformTransport.ideal(4), true));
    }
}
