package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import io.shardsim.simulator.workload.Stretch;
import io.shardsim.topology.GpuSpec;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MixtureOfExpertsTest {
    private static final int HIDDEN = 1024;
    private static final int EXPERT = 512;
    private static final int TOKENS = 4096;

    private static ModelShape shape(int layers, int ffn, MixtureOfExperts mixture) {
        return new ModelShape(
                HIDDEN,
                layers,
                Family.LLAMA,
                new Heads(16, 4, 128, false),
                ffn,
                mixture,
                new Embeddings(32_000, false, 0));
    }

    private static List<Kernel> kernels(ModelShape shape, Direction direction, String profile) {
        Segments segments = new Segments(shape.operators());
        Segment segment = direction.isBackward() ? segments.backward(Section.LAYER) : segments.forward(Section.LAYER);
        return new LayerKernels(
                        shape,
                        LayerKernels.Workload.of(TOKENS, 1, AttentionKind.FLASH),
                        FrameworkProfile.named(profile))
                .of(segment);
    }

    private static double flops(List<Kernel> kernels) {
        return matmuls(kernels).mapToDouble(Kernel.Matmul::flops).sum();
    }

    private static Stream<Kernel.Matmul> matmuls(List<Kernel> kernels) {
        return kernels.stream().filter(Kernel.Matmul.class::isInstance).map(Kernel.Matmul.class::cast);
    }

    @Test
    void anEvenLoadMultipliesAsMuchAsADenseLayerOfTheSameActiveWidthButForTheRouter() {
        ModelShape dense = shape(1, 4 * EXPERT, MixtureOfExperts.NONE);
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        double router = 2.0 * TOKENS * HIDDEN * 32;
        assertThat(flops(kernels(mixture, Direction.FORWARD, "megatron")))
                .isEqualTo(flops(kernels(dense, Direction.FORWARD, "megatron")) + router);
        assertThat(flops(kernels(mixture, Direction.BACKWARD, "megatron")))
                .isEqualTo(flops(kernels(dense, Direction.BACKWARD, "megatron")) + 2 * router);
        assertThat(mixture.layerForwardFlops(0, TOKENS, TOKENS))
                .isEqualTo(dense.layerForwardFlops(0, TOKENS, TOKENS) + router);
    }

    @Test
    void expertsAreProductsAtOnceOrALoop() {
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        assertThat(matmuls(kernels(mixture, Direction.FORWARD, "megatron")))
                .filteredOn(matmul -> matmul.name().equals("experts.down"))
                .containsExactly(
                        new Kernel.Matmul("experts.down", 32, TOKENS * 4 / 32, HIDDEN, EXPERT).launchedApart());
        assertThat(matmuls(kernels(mixture, Direction.FORWARD, "compiled")))
                .filteredOn(matmul -> matmul.name().equals("experts.down"))
                .containsExactly(new Kernel.Matmul("experts.down", 32, TOKENS * 4 / 32, HIDDEN, EXPERT));
        assertThat(matmuls(kernels(mixture, Direction.FORWARD, "fsdp")))
                .filteredOn(matmul -> matmul.name().equals("experts.down"))
                .hasSize(32)
                .containsOnly(new Kernel.Matmul("experts.down", 1, TOKENS * 4 / 32, HIDDEN, EXPERT));
    }

    /** 32 experts: 31 launches in addition to the one of the kernel; "compiled" has only that one. */
    @Test
    void theHostIssuesAProductForEachExpertWhereTheyAreLaunchedApart() {
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        for (String profile : List.of("megatron", "compiled")) {
            List<Kernel> kernels = kernels(mixture, Direction.FORWARD, profile);
            FrameworkProfile its = FrameworkProfile.named(profile);
            long products = profile.equals("megatron") ? 2 * 31 : 0;
            assertThat(its.hostExpertKernelPs("h100-80gb", "hopper")).isEqualTo(products > 0 ? 13_500_000 : 0);
            assertThat(forward(mixture, its).hostPs())
                    .isEqualTo(kernels.size() * its.hostKernelPs(false)
                            + products * its.hostExpertKernelPs("h100-80gb", "hopper"));
        }
    }

    @Test
    void graphsOfLayersLeaveTheExpertsToTheHostAndThoseOfAStepNothing() {
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        FrameworkProfile profile = FrameworkProfile.named("megatron");
        FrameworkProfile partial = profile.with(CudaGraphs.PARTIAL);
        long apart = 2 * 31 * profile.hostExpertKernelPs("h100-80gb", "hopper");
        // Two GEMMs, their activation, and the weighted sum.
        assertThat(forward(mixture, partial).hostPs()).isEqualTo(4 * profile.hostKernelPs(false) + apart);
        // The router's GEMM, three kernels of softmax and top-k, the permutation.
        assertThat(forward(mixture, profile.with(CudaGraphs.ROUTER)).hostPs())
                .isEqualTo(forward(mixture, profile).hostPs() - 5 * profile.hostKernelPs(false));
        assertThat(forward(mixture, partial).gpuPs())
                .isEqualTo(forward(mixture, profile).gpuPs());
        assertThat(partial.hostKernelPs(true)).isEqualTo(profile.hostKernelPs(true));
        FrameworkProfile full = profile.with(CudaGraphs.FULL);
        assertThat(forward(mixture, full).hostPs()).isZero();
        assertThat(full.hostKernelPs(true)).isZero();
    }

    /** An all-to-all delivers copies by rank; DeepEP and HybridEP permute them, and fill up rows for FP8, as they arrive. */
    @Test
    void behindAnAllToAllCopiesAreSortedAndFilledUp() {
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        FrameworkProfile half = FrameworkProfile.named("transformer-engine");
        long pass = 4L * TOKENS * 4 * HIDDEN;
        for (Direction direction : List.of(Direction.FORWARD, Direction.BACKWARD)) {
            assertThat(arranged(mixture, 8, half, direction)).isEqualTo(2 * pass);
            assertThat(arranged(mixture, 32, half, direction)).isZero();
            assertThat(arranged(mixture, 8, half.inFp8(), direction)).isEqualTo(4 * pass);
            assertThat(arranged(mixture, 32, half.inFp8(), direction)).isEqualTo(2 * pass);
        }
    }

    /** Returns the bytes that an all-to-all moves more than another dispatcher. */
    private static long arranged(ModelShape shape, int ranks, FrameworkProfile profile, Direction direction) {
        Segments segments = new Segments(shape.operators());
        Segment segment = direction.isBackward() ? segments.backward(Section.LAYER) : segments.forward(Section.LAYER);
        long bytes = 0;
        for (boolean allToAll : List.of(true, false)) {
            LayerKernels.Split split =
                    new LayerKernels.Split(1, 1, allToAll, ranks, 1, false, LayerKernels.Logits.SPLIT, false);
            LayerKernels kernels =
                    new LayerKernels(shape, new LayerKernels.Workload(TOKENS, 1, AttentionKind.FLASH, split), profile);
            bytes += (allToAll ? 1 : -1) * memoryBytes(kernels.of(segment));
        }
        return bytes;
    }

    private static long memoryBytes(List<Kernel> kernels) {
        return kernels.stream()
                .filter(Kernel.MemoryBound.class::isInstance)
                .mapToLong(kernel -> ((Kernel.MemoryBound) kernel).bytes())
                .sum();
    }

    /** As in gpt-oss: gate, up and down have a bias per expert, Megatron-Core adds that of the results expert by expert, and clamps what is activated. */
    @Test
    void biasesOfExperts() {
        MixtureOfExperts plain = new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1);
        ModelShape without = shape(1, EXPERT, plain);
        ModelShape with =
                shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1, true, ExpertLoad.EVEN));
        long copies = 4L * TOKENS;

        assertThat(with.parameters() - without.parameters()).isEqualTo(32 * (2L * EXPERT + HIDDEN));
        assertThat(memoryBytes(kernels(with, Direction.FORWARD, "megatron"))
                        - memoryBytes(kernels(without, Direction.FORWARD, "megatron")))
                .isEqualTo(copies * (28 * HIDDEN + 16 * EXPERT));
        assertThat(memoryBytes(kernels(with, Direction.BACKWARD, "megatron"))
                        - memoryBytes(kernels(without, Direction.BACKWARD, "megatron")))
                .isCloseTo(copies * (40 * HIDDEN + 20 * EXPERT), within(100L));
        FrameworkProfile profile = FrameworkProfile.named("megatron");
        assertThat(forward(with, profile).hostPs() - forward(without, profile).hostPs())
                .isEqualTo(
                        5 * profile.hostKernelPs(false) + 2 * 31 * profile.hostExpertKernelPs("h100-80gb", "hopper"));
    }

    /** Transformer Engine casts the operands of experts to FP8 one by one, and launches cost a Grace CPU more. */
    @Test
    void castsOfExpertsAreLaunchedApart() {
        ModelShape mixture = shape(1, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        FrameworkProfile half = FrameworkProfile.named("transformer-engine");
        FrameworkProfile eight = half.inFp8();
        long kernels = kernels(mixture, Direction.FORWARD, "transformer-engine-fp8")
                        .size()
                - kernels(mixture, Direction.FORWARD, "transformer-engine").size();
        assertThat(forward(mixture, eight, Gpus.H100_80GB).hostPs()
                        - forward(mixture, half).hostPs())
                .isEqualTo(
                        kernels * half.hostKernelPs(false) + 2 * 31 * half.hostExpertKernelPs("h100-80gb", "hopper"));
        assertThat(half.hostExpertKernelPs("gb200", "blackwell")).isEqualTo(37_125_000);
    }

    private static TransformerTimes.Phase forward(ModelShape shape, FrameworkProfile profile) {
        return forward(shape, profile, Gpus.A100_80GB);
    }

    private static TransformerTimes.Phase forward(ModelShape shape, FrameworkProfile profile, GpuSpec gpu) {
        LayerKernels.Workload workload = LayerKernels.Workload.of(TOKENS, 1, AttentionKind.FLASH);
        return TransformerTimes.of(shape, gpu, workload, profile)
                .of(new Segments(shape.operators()).forward(Section.LAYER));
    }

    @Test
    void parametersAreThoseOfAllExpertsAndActiveThoseOfATokensOwn() {
        ModelShape dense = shape(4, EXPERT, MixtureOfExperts.NONE);
        ModelShape mixture = shape(4, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 1));
        long expert = 3L * HIDDEN * EXPERT;
        long router = HIDDEN * 32L;
        assertThat(mixture.parameters()).isEqualTo(dense.parameters() + 4 * (31 * expert + router));
        assertThat(mixture.activeParameters()).isEqualTo(dense.parameters() + 4 * (3 * expert + router));
        assertThat(dense.activeParameters()).isEqualTo(dense.parameters());
        ModelShape shared = shape(4, EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 2 * EXPERT, 0, 1));
        assertThat(shared.activeParameters() - mixture.activeParameters()).isEqualTo(4 * 2 * expert);
    }

    @Test
    void someLayersHaveNoExperts() {
        ModelShape firstDense = shape(6, 4 * EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 2, 1));
        assertThat(firstDense.operators().stretches())
                .extracting(Stretch::layers)
                .containsExactly(2, 4);
        ModelShape everySecond = shape(6, 4 * EXPERT, new MixtureOfExperts(new Experts(32, 4), EXPERT, 0, 0, 2));
        assertThat(everySecond.operators().stretches())
                .extracting(Stretch::layers)
                .containsExactly(1, 1, 1, 1, 1, 1);
        assertThat(everySecond.kind(0)).isEqualTo(firstDense.kind(0));
        assertThat(everySecond.kind(1)).isEqualTo(firstDense.kind(2));
    }

    @Test
    void aTokenGoesThroughNoMoreExpertsThanThereAre() {
        assertThatThrownBy(() -> shape(1, EXPERT, new MixtureOfExperts(new Experts(4, 8), EXPERT, 0, 0, 1)))
                .hasMessage("experts_per_token 8 is more than experts 4");
    }
}
