package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EightBitPrecisionTest {
    @TempDir
    private Path folder;

    private List<RunResult> runs(String sweep) throws Exception {
        Path file = Files.writeString(folder.resolve("fp8.yaml"), """
                scenario: fp8
                model: {hidden: 2048, layers: 4, heads: 16, ffn: 5504, vocab: 32000, gated_ffn: true}
                cluster: {instance: p5.48xlarge, nodes: 1}
                training: {sequence_length: 2048, global_batch: 16, micro_batch: 2, attention: flash}
                strategy: {kind: fsdp2}
                sweep: {strategy.framework_profile: [torchtitan-compile, torchtitan-float8], %s}
                """.formatted(sweep));
        List<RunResult> results = new ArrayList<>();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : ScenarioReader.read(file.toString()).points()) {
                results.add(simulation.run(point));
            }
        }
        return results;
    }

    @Test
    void fp8IsAPrecisionAndTheOldProfileItsAlias() throws Exception {
        List<RunResult> asked = runs("training.precision: [fp8]");
        assertThat(asked.get(0).digest()).isEqualTo(asked.get(1).digest());
        List<RunResult> half = runs("training.precision: [bf16]");
        assertThat(half.get(1).digest()).isEqualTo(asked.get(0).digest());
        assertThat(half.get(0).digest()).isNotEqualTo(asked.get(0).digest());
        assertThat(runs("training.precision: [fp8], training.kernels: [torchtitan-compile]")
                        .get(1)
                        .digest())
                .as("the one key for kernels, any profile")
                .isEqualTo(asked.get(0).digest());
    }

    /** 6 N and attention over the peak of the GEMM format: 989.4 and 1,978.8 Tflop/s. */
    @Test
    void utilizationCountsAgainstThePeakOfTheGemms() throws Exception {
        List<RunResult> results = runs("training.precision: [bf16]");
        RunResult half = results.get(0);
        RunResult eight = results.get(1);
        assertThat(half.facts().model().peak().format()).isEqualTo("bf16");
        assertThat(eight.facts().model().peak().format()).isEqualTo("fp8");
        assertThat(eight.facts().model().peak().flopsPerSecond())
                .isEqualTo(2 * half.facts().model().peak().flopsPerSecond());
        double faster = eight.step().samplesPerSecond() / half.step().samplesPerSecond();
        assertThat(eight.step().flops().mfu()).isCloseTo(half.step().flops().mfu() * faster / 2, within(1e-9));
    }
}
