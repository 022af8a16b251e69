package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.compute.LayerKernels.Split;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segments;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cost of QK-norm in a layer of Qwen3 8B (Yang et al., arXiv:2505.09388, table 1): 32 query heads and 8 key heads, 128 wide. */
class QueryKeyNormTest {
    private static final ModelShape QWEN3_8B = qwen3(true);
    private static final ModelShape PLAIN = qwen3(false);
    private static final int TOKENS = 4096;
    /** Elements of queries and keys per token. */
    private static final int NORMED = 4096 + 1024;

    private static ModelShape qwen3(boolean normed) {
        return new ModelShape(
                4096,
                36,
                Family.LLAMA,
                new Heads(32, 8, 128, normed),
                12288,
                MixtureOfExperts.NONE,
                new Embeddings(151936, false, 0));
    }

    @Test
    void qwen3HasThePublishedParameters() {
        assertThat(QWEN3_8B.parameters()).isEqualTo(8_190_735_360L);
        assertThat(QWEN3_8B.parameters() - PLAIN.parameters()).isEqualTo(36 * 2 * 128);
        assertThat(QWEN3_8B.layerParameters(0, 4) - PLAIN.layerParameters(0, 4))
                .as("heads of all ranks share the weights")
                .isEqualTo(2 * 128);
    }

    @Test
    void itHasNoFlopsThatCount() {
        assertThat(QWEN3_8B.layerForwardFlops(0, TOKENS, 4096)).isEqualTo(PLAIN.layerForwardFlops(0, TOKENS, 4096));
    }

    @Test
    void itKeepsQueriesAndKeysOnceMoreUnlessACompilerMakesThemAgain() {
        assertThat(kept(QWEN3_8B, 1, false) - kept(PLAIN, 1, false)).isEqualTo(2L * TOKENS * NORMED);
        assertThat(kept(QWEN3_8B, 4, false) - kept(PLAIN, 4, false)).isEqualTo(2L * TOKENS * NORMED / 4);
        assertThat(kept(QWEN3_8B, 1, true)).isEqualTo(kept(PLAIN, 1, true));
    }

    private static long kept(ModelShape shape, int tensor, boolean compiled) {
        return new ActivationMemory(
                        shape, AttentionKind.FLASH, false, tensor, false, 2, compiled, Recomputed.CORE_ATTENTION)
                .layerBytes(0, 1, TOKENS, Checkpointing.NONE);
    }

    /** 36 bytes and 7 kernels forward, 92 bytes and 14 kernels backward, for queries and for keys, as in eager.yaml. */
    @Test
    void itsKernelsMoveTheBytesOfAnRmsNormOverHeads() {
        for (int tensor : new int[] {1, 4}) {
            Segments segments = new Segments(QWEN3_8B.operators());
            assertAdds(segments.forward(Segment.Section.LAYER), tensor, 36, 14);
            assertAdds(segments.recompute(Segment.Section.LAYER, Checkpointing.OPERATOR, false), tensor, 36, 14);
            assertAdds(segments.backward(Segment.Section.LAYER), tensor, 92, 28);
        }
        assertThat(kernels(QWEN3_8B, 1).of(segmentOf(QWEN3_8B, Checkpointing.SELECTIVE)))
                .isEqualTo(kernels(PLAIN, 1).of(segmentOf(PLAIN, Checkpointing.SELECTIVE)));
    }

    private static Segment segmentOf(ModelShape shape, Checkpointing checkpointing) {
        return new Segments(shape.operators()).recompute(Segment.Section.LAYER, checkpointing, false);
    }

    private static void assertAdds(Segment normed, int tensor, int bytes, int count) {
        List<Kernel> with = kernels(QWEN3_8B, tensor).of(normed);
        List<Kernel> added = new ArrayList<>(with);
        for (Kernel kernel : kernels(PLAIN, tensor).of(plain(normed))) {
            assertThat(added.remove(kernel)).isTrue();
        }
        assertThat(added).hasSize(count);
        long moved = added.stream()
                .mapToLong(kernel -> ((Kernel.MemoryBound) kernel).bytes())
                .sum();
        assertThat((double) moved).isCloseTo((double) bytes * TOKENS * NORMED / tensor, within((double) count));
    }

    /** Returns the same pass through the layer without the norm. */
    private static Segment plain(Segment normed) {
        Segments segments = new Segments(PLAIN.operators());
        return switch (normed.direction()) {
            case FORWARD -> segments.forward(Segment.Section.LAYER);
            case BACKWARD -> segments.backward(Segment.Section.LAYER);
            default -> segments.recompute(Segment.Section.LAYER, Checkpointing.OPERATOR, false);
        };
    }

    @Test
    void itTakesTheTimeOfItsBytes() {
        Segments segments = new Segments(QWEN3_8B.operators());
        long addedPs =
                times(QWEN3_8B).of(segments.forward(Segment.Section.LAYER)).gpuPs()
                        - times(PLAIN)
                                .of(new Segments(PLAIN.operators()).forward(Segment.Section.LAYER))
                                .gpuPs();
        GpuCalibration calibration = GpuCalibration.of(Gpus.A100_80GB);
        double bytesPerSecond = Gpus.A100_80GB.memoryBandwidth().bytesPerSecond()
                * calibration.memoryBound().hbmRatio();
        double expected = 36.0 * TOKENS * NORMED / bytesPerSecond * 1e12
                + 14 * calibration.memoryBound().fixedPs();
        assertThat((double) addedPs).isCloseTo(expected, within(1e-6 * expected));
    }

    private static TransformerTimes times(ModelShape shape) {
        return TransformerTimes.of(
                shape, Gpus.A100_80GB, Workload.of(TOKENS, 1, AttentionKind.FLASH), FrameworkProfile.named("eager"));
    }

    private static LayerKernels kernels(ModelShape shape, int tensor) {
        Workload workload = new Workload(TOKENS, 1, AttentionKind.FLASH, new Split(tensor, 1, false, Logits.SPLIT));
        return new LayerKernels(shape, workload, FrameworkProfile.named("eager"));
    }

    @Test
    void layersOfGpt2HaveNone() {
        assertThatThrownBy(() -> new ModelShape(
                        1024,
                        24,
                        Family.GPT2,
                        new Heads(16, 16, 64, true),
                        4096,
                        MixtureOfExperts.NONE,
                        new Embeddings(50257, true, 1024)))
                .hasMessage("qk_norm true needs gated_ffn true");
    }
}
