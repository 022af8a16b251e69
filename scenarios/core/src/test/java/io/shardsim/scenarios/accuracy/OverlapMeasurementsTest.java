package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.nccl.NcclTransportModel;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.run.Shortcut;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Cost of gathers inside a node to an overlapped GEMM, against github.com/Dazz993/Mist at d69e530 (mist/tools/profile_interference.py: a GEMM of n x
 * 4096 x 4096 in 16 bits, the gather launched first). Nothing was fitted to it: a collective holds as many SMs as it has channels, and the cache rate
 * is that of GEMMs alone.
 */
class OverlapMeasurementsTest {
    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    /** results-final/bandwidth-a100-sxm4-40gb-n1-m8-intra*-inter1.json: with n = 297552, which alone takes 34.78 to 34.84 ms. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "8, 984, 2.04", "8, 1968, 4.02", "8, 2952, 5.98", "8, 3936, 7.91",
        "4, 984, 2.02", "4, 1968, 3.96", "4, 2952, 5.88", "4, 3936, 7.77",
        "2, 984, 1.95", "2, 1968, 3.78", "2, 2952, 5.55", "2, 3936, 7.27"
    })
    void aProductOnA100LosesWhatGathersBesideItWereMeasuredToCost(int ranks, long mebibytes, double milliseconds)
            throws Exception {
        assertThat(lostMilliseconds("p4d.24xlarge", 34.84, ranks, mebibytes))
                .isCloseTo(milliseconds, withinPercentage(15));
    }

    /** backup/results-backup-0508/bandwidth-v100-sxm2-32gb-n1-m8-intra*-inter1.json: with n = 178816, which alone takes 58.48 and 58.88 ms. */
    @ParameterizedTest
    @CsvSource({
        "8, 744, 3.07", "8, 1480, 6.25", "8, 2216, 9.54", "8, 2952, 12.88",
        "4, 744, 2.93", "4, 1480, 4.86", "4, 2216, 7.21", "4, 2952, 9.44"
    })
    void aProductOnV100LosesTwoThirdsOfItAndMore(int ranks, long mebibytes, double milliseconds) throws Exception {
        assertThat(lostMilliseconds("p3dn.24xlarge", 58.88, ranks, mebibytes))
                .isBetween(0.66 * milliseconds, milliseconds);
    }

    private static double lostMilliseconds(String instanceName, double aloneMilliseconds, int ranks, long mebibytes)
            throws Exception {
        InstanceSpec instance =
                Objects.requireNonNull(Catalog.instance(instanceName)).spec();
        Cluster cluster = new Cluster(instance, 1);
        long alonePs = (long) (1e9 * aloneMilliseconds);
        StepPlan.Builder plan = StepPlan.builder();
        plan.add(new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, alonePs), "product"));
        plan.add(new Operation.Collective(
                Stream.GATHER,
                CollectiveKind.ALL_GATHER,
                new RankGroups("gather", cluster.worldSize(), ranks, 1),
                mebibytes << 20,
                "auto",
                "gather"));
        SimulationSetup setup = new SimulationSetup(
                cluster,
                plan.build(),
                new OneProduct(GpuCalibration.of(instance.gpu())
                        .cacheRate(instance.gpu().smCount())),
                new NcclTransportModel(CollectiveCatalog.load().algorithms()),
                Map.of(),
                Shortcut.allIf(true));
        Map<Stream, Long> busyPs = engine.run(setup).ranks().get(0).busyPs();
        return (busyPs.get(Stream.COMPUTE) - alonePs) / 1e9;
    }

    /** Work whose amount is its time, all of it GEMMs [ps]. */
    private record OneProduct(Bandwidth cacheRate) implements WorkTimes {
        @Override
        public long ps(Work work) {
            return work.amount();
        }

        @Override
        public int productsPerMille(Work work) {
            return 1000;
        }
    }
}
