package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Operator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockKernelsTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 32, 32, 11008, 32000, 8);
    private static final RankShare SHARE = new RankShare(
            LLAMA, LayerKernels.Workload.of(2048, 1, AttentionKind.FLASH), FrameworkProfile.named("fused"));

    private static List<Operator> withNormOfQueries() {
        List<Operator> block = new ArrayList<>(LLAMA.operators().attention());
        block.add(2, new Operator.Norm("attention.query_norm", LLAMA.hidden(), true));
        return block;
    }

    private static List<Kernel> norms(List<Kernel> kernels) {
        return kernels.stream()
                .filter(kernel -> kernel instanceof Kernel.MemoryBound bound
                        && bound.name().startsWith("rms-norm"))
                .toList();
    }

    /** A model's list is all there is to change: its kernels follow in every direction. */
    @Test
    void anOperatorMoreIsAKernelMoreInEachDirection() {
        BlockKernels llama = new BlockKernels(SHARE, LLAMA.operators().attention(), false);
        BlockKernels normed = new BlockKernels(SHARE, withNormOfQueries(), false);
        assertThat(norms(llama.forward())).hasSize(1);
        assertThat(norms(normed.forward())).hasSize(2);
        assertThat(norms(normed.recompute(Checkpointing.FULL))).hasSize(2);
        assertThat(norms(normed.recompute(Checkpointing.OPERATOR))).hasSize(2);
        assertThat(norms(normed.recompute(Checkpointing.SELECTIVE))).isEmpty();
        assertThat(norms(normed.backward())).hasSize(2 * norms(llama.backward()).size());
    }

    @Test
    void onlyTheLastBlockStopsBeforeItsLastProduct() {
        BlockKernels last = new BlockKernels(SHARE, LLAMA.operators().feedForward(), true);
        BlockKernels first = new BlockKernels(SHARE, LLAMA.operators().feedForward(), false);
        assertThat(first.recompute(Checkpointing.OPERATOR))
                .hasSizeGreaterThan(last.recompute(Checkpointing.OPERATOR).size());
        assertThat(last.recompute(Checkpointing.OPERATOR))
                .noneMatch(kernel -> kernel.toString().contains("ffn.down"));
    }
}
