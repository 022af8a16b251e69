package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.Adapters;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class AdapterKernelsTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 32, 32, 11008, 32000, 32);
    private static final int TOKENS = 1024;

    private static List<Kernel> kernels(ModelShape model, Section section, boolean backward) {
        Segments segments = new Segments(model.operators());
        return new LayerKernels(
                        model,
                        LayerKernels.Workload.of(TOKENS, 1, AttentionKind.FLASH),
                        FrameworkProfile.named("eager"))
                .of(backward ? segments.backward(section) : segments.forward(section));
    }

    private static ModelShape adapted(int bits, String... modules) {
        return LLAMA.withAdapters(new Adapters(16, List.of(modules), bits));
    }

    private static double flops(List<Kernel> kernels) {
        return kernels.stream()
                .filter(Kernel.Matmul.class::isInstance)
                .mapToDouble(kernel -> ((Kernel.Matmul) kernel).flops())
                .sum();
    }

    private static List<String> names(List<Kernel> kernels) {
        Function<Kernel, String> name = kernel -> kernel instanceof Kernel.Matmul matmul
                ? matmul.name()
                : kernel instanceof Kernel.MemoryBound bound ? bound.name() : "";
        return kernels.stream().map(name).toList();
    }

    /** The kernels' GEMM flops equal the model's count; a fused attention kernel is separate. */
    @Test
    void gemmsMultiplyWhatTheModelCounts() {
        ModelShape model = adapted(16, Adapters.ALL);
        double weights = model.kind(0).operators().stream()
                .mapToLong(operator -> operator.weights())
                .sum();
        double trained = model.trainedParameters() / 32.0;

        assertThat(flops(kernels(model, Section.LAYER, false))).isEqualTo(2 * TOKENS * weights);
        assertThat(flops(kernels(model, Section.LAYER, true))).isEqualTo(TOKENS * (2 * weights + 2 * trained));
        assertThat(flops(kernels(LLAMA, Section.LAYER, true))).isEqualTo(4 * TOKENS * (weights - trained));
        assertThat(flops(kernels(model, Section.HEAD, true))).isEqualTo(2.0 * TOKENS * 4096 * 32000);
    }

    @Test
    void onlyAdaptersHaveGradientsOfWeights() {
        List<String> names = names(kernels(adapted(16, "q_proj", "v_proj"), Section.LAYER, true));

        assertThat(names.stream().filter(name -> name.endsWith(".weight-gradient")))
                .containsExactly(
                        "attention.query.lora_B.weight-gradient",
                        "attention.query.lora_A.weight-gradient",
                        "attention.value.lora_B.weight-gradient",
                        "attention.value.lora_A.weight-gradient");
        assertThat(names(kernels(adapted(16, "q_proj"), Section.EMBEDDING, true)))
                .isEmpty();
    }

    /** Reads 0.516 bytes per weight and writes 2, before the GEMM of either direction. */
    @Test
    void quantizedMatricesAreMadeWideBeforeEachProduct() {
        for (boolean backward : List.of(false, true)) {
            List<Kernel> layer = kernels(adapted(4, "q_proj"), Section.LAYER, backward);
            List<Kernel> wide = layer.stream()
                    .filter(kernel -> kernel instanceof Kernel.MemoryBound bound
                            && bound.name().endsWith(".dequantize"))
                    .toList();

            assertThat(wide).hasSize(7);
            long square = 4096L * 4096;
            assertThat(wide)
                    .contains(new Kernel.MemoryBound(
                            "attention.output.dequantize", square / 2 + square / 64 + 4 * square / 16384 + 2 * square));
            assertThat(names(kernels(adapted(16, "q_proj"), Section.LAYER, backward)))
                    .noneMatch(name -> name.endsWith(".dequantize"));
        }
    }
}
