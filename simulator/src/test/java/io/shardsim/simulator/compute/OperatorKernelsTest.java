package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segments;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorKernelsTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 32, 32, 11008, 32000, 8);
    private static final Segments SEGMENTS = new Segments(LLAMA.operators());

    private static List<Kernel> kernels(Segment segment) {
        LayerKernels kernels = new LayerKernels(
                LLAMA, LayerKernels.Workload.of(2048, 1, AttentionKind.FLASH), FrameworkProfile.named("fused"));
        return kernels.of(segment);
    }

    /** A layer's backward does not need its last GEMM. */
    @Test
    void onlyTheLastBlockStopsBeforeItsLastProduct() {
        List<Kernel> whole = kernels(SEGMENTS.recompute(Segment.Section.LAYER, Checkpointing.FULL, false));
        List<Kernel> early = kernels(SEGMENTS.recompute(Segment.Section.LAYER, Checkpointing.FULL, true));
        assertThat(whole).isEqualTo(kernels(SEGMENTS.forward(Segment.Section.LAYER)));
        assertThat(whole).anyMatch(kernel -> kernel.toString().contains("ffn.down"));
        assertThat(early).noneMatch(kernel -> kernel.toString().contains("ffn.down"));
        assertThat(early).anyMatch(kernel -> kernel.toString().contains("attention.output"));
        assertThat(kernels(SEGMENTS.recompute(Segment.Section.LAYER, Checkpointing.OPERATOR, false)))
                .noneMatch(kernel -> kernel.toString().contains("ffn.down"));
    }
}
