package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The fewest GPUs on which a model can be trained. */
class FitsTest {
    private static Fits fits(String model, String instance, int gpusMax) throws Exception {
        return new Fits(
                new Fits.Asked(
                        model,
                        Objects.requireNonNull(Catalog.instance(instance)).spec(),
                        1024,
                        gpusMax,
                        false),
                PointSimulation::new,
                2);
    }

    private static boolean hasRoom(String file, Map<String, String> changes) {
        try {
            PointBounds prospect =
                    PointBounds.of(SweptFile.readText("a.yaml", file).point(0, changes));
            return prospect.fits() && !prospect.tight();
        } catch (InputException refused) {
            // Fewer GPUs than tensor parallelism takes.
            return false;
        }
    }

    @Test
    @Tag("slow")
    void whatIsPrintedRunsAsItWasShownAndFitsOnNoFewer() throws Exception {
        Fits fits = fits("llama2-7b", "p4d.24xlarge", 32);
        List<Fits.Row> rows = Objects.requireNonNull(fits.run((share, what) -> {}));
        int smaller = 0;
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (Fits.Row row : rows) {
                if (row.run() == null) {
                    assertThat(row.way()).isEqualTo("Megatron-Core, TP 8 x PP 8");
                    assertThat(row.why()).contains("does not divide world size 32");
                    continue;
                }
                String file = Exporter.scenario("a", fits.scenario(row))
                        .files()
                        .get(0)
                        .text();
                ScenarioPoint written =
                        ScenarioReader.readText("a.yaml", file).points().get(0);
                assertThat(simulation.run(written).step().samplesPerSecond())
                        .as(row.way())
                        .isEqualTo(row.run().step().samplesPerSecond());
                int gpus = written.cluster().worldSize();
                if (gpus > 1) {
                    smaller++;
                    Map<String, String> half = Map.of(
                            written.cluster().nodes() > 1 ? "cluster.nodes" : "cluster.gpus_per_node",
                            String.valueOf((written.cluster().nodes() > 1
                                            ? written.cluster().nodes()
                                            : written.cluster().gpusPerNode())
                                    / 2),
                            "training.micro_batch",
                            "1");
                    assertThat(hasRoom(file, half)).as(row.way()).isFalse();
                }
            }
        }
        assertThat(smaller).isGreaterThan(1);
        assertThat(rows).extracting(Fits.Row::way).anyMatch(way -> way.startsWith("QLoRA"));
    }

    @Test
    @Tag("slow")
    void aPipelineHasTheMicroBatchThatKeepsItsStagesBusy() throws Exception {
        Fits fits = fits("llama3-8b", "p5.48xlarge", 64);
        Fits.Row pipeline = fits.ways().stream()
                .filter(row -> row.way().endsWith("PP 8"))
                .findFirst()
                .orElseThrow();
        ScenarioPoint point = Objects.requireNonNull(pipeline.point());
        double best = 0;
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            double chosen = simulation.run(point).step().samplesPerSecond();
            for (int microBatch = 1; microBatch <= 64; microBatch *= 2) {
                RunResult other =
                        simulation.run(point.with(Map.of("training.micro_batch", String.valueOf(microBatch))));
                best = Math.max(best, other.fits() ? other.step().samplesPerSecond() : 0);
            }
            assertThat(chosen).isGreaterThan(0.97 * best);
        }
    }

    @Test
    void moreGpusThanAnyClusterHasAreNotLookedAt() throws Exception {
        assertThat(fits("kimi-k2", "g4dn.metal", Integer.MAX_VALUE)
                        .ways()
                        .get(0)
                        .why())
                .doesNotContain("65536 or less");
    }

    @Test
    void whatIsInterruptedLooksNoFurther() throws Exception {
        Fits fits = fits("gpt3-175b", "g4dn.metal", 512);
        fits.interrupt();
        assertThat(fits.ways()).allSatisfy(row -> assertThat(row.why()).isEmpty());
        assertThat(fits.run((share, what) -> {})).isNull();
    }

    @Test
    void whatFitsNowhereSaysWhy() throws Exception {
        List<Fits.Row> rows = fits("gpt3-175b", "g4dn.metal", 8).ways();
        assertThat(rows).allSatisfy(row -> assertThat(row.point()).isNull());
        assertThat(rows).extracting(Fits.Row::why).contains("does not fit on 8 GPUs");
        assertThat(rows).extracting(Fits.Row::why).anyMatch(why -> why.contains("does not run on t4"));
    }
}
