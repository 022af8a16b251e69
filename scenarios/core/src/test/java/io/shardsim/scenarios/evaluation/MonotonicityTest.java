package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunFacts;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.PcieSpec;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Better hardware, or less work, never makes a run slower. Each seed has one improvement in turn; {@code -Dmonotone.seeds=N} draws more. There are
 * two exceptions. For a bare collective, NCCL may choose another algorithm or protocol, which its result names. In runs that offload activations,
 * copies meet other traffic on the PCIe links in another order, which has cost up to 0.4 %.
 */
@Tag("once")
class MonotonicityTest {
    private static final int SEEDS = Integer.getInteger("monotone.seeds", 150);

    /** Maximum loss of an offloading run [1]. */
    private static final double REORDERED = 0.005;

    /** Maximum loss of a training from faster PCIe: NCCL's search then finds fewer rings, each with a higher rate. */
    private static final double OTHER_RINGS = 0.025;

    private static final int RANKS_MAX = 16;
    private static final long SMALL_BYTES = 1 << 20;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    private enum Improvement {
        NIC(instance -> with(
                instance,
                new NicSpec(
                        instance.nic().lineRate().scaled(1.5),
                        instance.nic().effectiveRate().scaled(1.5),
                        instance.nic().latencyPs(),
                        instance.nic().perMessagePs(),
                        instance.nic().gpuDirect()))),
        NIC_LATENCY(instance -> with(
                instance,
                new NicSpec(
                        instance.nic().lineRate(),
                        instance.nic().effectiveRate(),
                        instance.nic().latencyPs() / 2,
                        instance.nic().perMessagePs() / 2,
                        instance.nic().gpuDirect()))),
        NVLINK(instance -> with(
                instance,
                new IntraNodeSpec(
                        instance.intraNode().perGpuRate().scaled(1.5),
                        instance.intraNode().latencyPs(),
                        instance.intraNode().links()))),
        NVLINK_LATENCY(instance -> with(
                instance,
                new IntraNodeSpec(
                        instance.intraNode().perGpuRate(),
                        instance.intraNode().latencyPs() / 2,
                        instance.intraNode().links()))),
        GPU(instance -> with(instance, gpu(instance.gpu(), 1, 1.5))),
        MEMORY(instance -> with(instance, gpu(instance.gpu(), 1.5, 1)));

        private final UnaryOperator<InstanceSpec> better;

        Improvement(UnaryOperator<InstanceSpec> better) {
            this.better = better;
        }
    }

    @Test
    @Tag("slow")
    void nothingBetterIsSlower() throws Exception {
        int compared = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            ScenarioPoint point = RandomScenario.point(seed).orElse(null);
            if (point == null || point.cluster().worldSize() > RANKS_MAX) {
                continue;
            }
            int which = seed % (Improvement.values().length + 1);
            ScenarioPoint better = which < Improvement.values().length
                    ? on(point, Improvement.values()[which].better)
                    : ScenarioReader.readText(
                                    "random", RandomScenario.text(seed).replace("_length: 512", "_length: 256"))
                            .points()
                            .get(0);
            Timed before = time(point);
            Timed after = time(better);
            if (!before.algorithm().equals(after.algorithm())) {
                continue;
            }
            double mayLose = RandomScenario.text(seed).contains("activation_offload: true") ? REORDERED : 0;
            assertThat(after.ps())
                    .as("seed %d, improvement %d: %s", seed, which, RandomScenario.text(seed))
                    .isLessThanOrEqualTo((long) (before.ps() * (1 + mayLose)));
            compared++;
        }
        assertThat(compared).isGreaterThan(SEEDS / 3);
    }

    /**
     * NCCL's estimates ignore a message's time on the NIC. If a file raises it, NCCL may choose rings instead of trees after PCIe gets faster, which
     * costs up to 17 % of a step. Not compared.
     */
    @Test
    @Tag("slow")
    void twiceThePcieIsNotSlower() throws Exception {
        int compared = 0;
        for (int seed = 0; seed < SEEDS; seed += 3) {
            String text = RandomScenario.text(seed);
            ScenarioPoint point = RandomScenario.point(seed).orElse(null);
            if (point == null || point.cluster().worldSize() > RANKS_MAX || text.contains("nic_per_message")) {
                continue;
            }
            Timed before = time(point);
            Timed after = time(on(point, MonotonicityTest::withTwiceThePcie));
            double mayLose = text.contains("workload:") ? 0 : OTHER_RINGS;
            if (before.algorithm().equals(after.algorithm())) {
                assertThat(after.ps()).as("seed %d: %s", seed, text).isLessThanOrEqualTo((long)
                        (before.ps() * (1 + mayLose)));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(SEEDS / 10);
    }

    private static InstanceSpec withTwiceThePcie(InstanceSpec i) {
        PcieSpec twice = new PcieSpec(
                i.pcie().switches(), i.pcie().linkRate().scaled(2), i.pcie().latencyPs());
        return new InstanceSpec(
                i.name(), i.gpu(), i.gpusPerNode(), i.intraNode(), twice, i.network(), i.hostMemoryBytes(), i.price());
    }

    /** With half of 100 KiB, NCCL uses one channel instead of two, and an all-to-all over NICs is then up to 1.6 times slower. Not compared. */
    @Test
    @Tag("slow")
    void halfTheBytesOfACollectiveAreNotSlower() throws Exception {
        int compared = 0;
        for (int seed = 0; seed < 2 * SEEDS; seed++) {
            ScenarioPoint point = RandomScenario.point(seed).orElse(null);
            if (point == null
                    || !(point.task() instanceof Task.Collective collective)
                    || collective.totalBytes() <= SMALL_BYTES
                    || point.cluster().worldSize() > RANKS_MAX) {
                continue;
            }
            String half = RandomScenario.text(seed)
                    .replace("size: 3 MiB", "size: 1536 KiB")
                    .replace("size: 20 MB", "size: 10 MB");
            Timed before = time(point);
            Timed after = time(ScenarioReader.readText("half", half).points().get(0));
            if (before.algorithm().equals(after.algorithm())) {
                assertThat(after.ps()).as("seed %d: %s", seed, half).isLessThanOrEqualTo(before.ps());
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(10);
    }

    /** Rates on both sides of the thresholds of NCCL's search, its protocols and PCIe. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "a100-80gb, 8, all_gather",
        "a100-80gb, 1, reduce_scatter",
        "h100-80gb, 8, all_gather",
        "h100-80gb, 2, all_gather",
        "h100-80gb, 1, all_reduce",
        "b200, 8, reduce_scatter"
    })
    void aCollectiveIsSlowerOverFasterNicsOnlyWhereNcclChoosesAnotherWay(String gpu, int gpus, String kind)
            throws Exception {
        String text =
                "scenario: a\ncluster: {gpu: %s, gpus_per_node: %d, intra_node: 450 GB/s, nics_per_node: %d, nic: 100 Gbit/s, nodes: 4}\n"
                                .formatted(gpu, gpus, gpus)
                        + "workload: {collective: %s, size: 1 MiB}\n".formatted(kind)
                        + "sweep: {workload.size: [1 MiB, 8 MiB, 64 MiB],"
                        + " cluster.nic: [50 Gbit/s, 100 Gbit/s, 150 Gbit/s, 170 Gbit/s, 180 Gbit/s, 200 Gbit/s, 260 Gbit/s, 280 Gbit/s, 400 Gbit/s, 800 Gbit/s]}\n";
        Timed slower = null;
        Object size = null;
        int compared = 0;
        for (ScenarioPoint point : ScenarioReader.readText("random", text).points()) {
            Timed timed = time(point);
            Object ownSize = point.values().get("workload.size");
            if (slower != null && ownSize.equals(size) && slower.algorithm().equals(timed.algorithm())) {
                assertThat(timed.ps()).as("%s", point.values()).isLessThanOrEqualTo(slower.ps());
                compared++;
            }
            slower = timed;
            size = ownSize;
        }
        assertThat(compared).isGreaterThan(15);
    }

    /** @param algorithm algorithm of a bare collective, as in its result */
    private record Timed(long ps, String algorithm) {}

    private static ScenarioPoint on(ScenarioPoint point, UnaryOperator<InstanceSpec> better) {
        Cluster cluster = point.cluster();
        return new ScenarioPoint(
                point.scenario(),
                point.values(),
                new Cluster(better.apply(cluster.instance()), cluster.nodes(), cluster.faults()),
                point.task(),
                point.collectives(),
                point.notes(),
                point.figures(),
                point.given());
    }

    private static Timed time(ScenarioPoint point) throws InterruptedException {
        AtomicLong endPs = new AtomicLong();
        try (PointSimulation simulation = new PointSimulation(
                new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED), (setup, observer, endMaxPs) -> {
                    StepObservation observed = engine.run(setup, 1);
                    endPs.set(observed.endPs());
                    return observed;
                })) {
            RunFacts.Collective bare = simulation.run(point).facts().collective();
            return new Timed(endPs.get(), bare == null ? "" : bare.algorithm());
        }
    }

    private static InstanceSpec with(InstanceSpec i, NicSpec nic) {
        return new InstanceSpec(
                i.name(),
                i.gpu(),
                i.gpusPerNode(),
                i.intraNode(),
                i.pcie(),
                new NetworkSpec(nic, i.nicsPerNode(), i.fabric(), i.network().library()),
                i.hostMemoryBytes(),
                i.price());
    }

    private static InstanceSpec with(InstanceSpec i, IntraNodeSpec intraNode) {
        return new InstanceSpec(
                i.name(), i.gpu(), i.gpusPerNode(), intraNode, i.pcie(), i.network(), i.hostMemoryBytes(), i.price());
    }

    private static InstanceSpec with(InstanceSpec i, GpuSpec gpu) {
        return new InstanceSpec(
                i.name(), gpu, i.gpusPerNode(), i.intraNode(), i.pcie(), i.network(), i.hostMemoryBytes(), i.price());
    }

    private static GpuSpec gpu(GpuSpec gpu, double memory, double compute) {
        return new GpuSpec(
                gpu.name(),
                gpu.architecture(),
                gpu.memoryBytes(),
                gpu.memoryBandwidth().scaled(memory),
                gpu.peakHalfFlopsPerSecond() * compute,
                gpu.peakSingleFlopsPerSecond() * compute,
                gpu.smCount(),
                (long) (gpu.boostClockHz() * compute));
    }
}
