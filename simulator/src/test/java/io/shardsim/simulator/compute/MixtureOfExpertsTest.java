package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.workload.AttentionKind;
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
                    .isEqualTo(kernels.size() * its.hostKernelPs(false) + products * its.hostExpertKernelPs("h100-80gb", "hopper"));
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

    private static TransformerTimes.Phase forward(ModelShape shape, FrameworkProfile profile) {
        LayerKernels.Workload workload = LayerKernels.Workload.of(TOKENS, 1, AttentionKind.FLASH);
        return TransformerTimes.of(shape, Gpus.A100_80GB, workload, profile)
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
