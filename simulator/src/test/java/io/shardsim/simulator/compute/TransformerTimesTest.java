package io.shardsim.simulator.compute;

import static io.shardsim.simulator.workload.Segment.Section.HEAD;
import static io.shardsim.simulator.workload.Segment.Section.LAYER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.compute.LayerKernels.Split;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.compute.TransformerTimes.Phase;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segments;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransformerTimesTest {
    private static final ModelShape LLAMA = ModelShape.llama(4096, 32, 32, 14336, 128256, 8);
    private static final ModelShape GPT2_30B = ModelShape.gpt2(7168, 48, 64, 50257, 2048);

    private static TransformerTimes times(String profile, int sequence, int microBatch, AttentionKind attention) {
        return TransformerTimes.of(
                GPT2_30B,
                Gpus.A100_40GB,
                Workload.of(sequence, microBatch, attention),
                FrameworkProfile.named(profile));
    }

    @Test
    void in32BitsALayerTakesWhatTheVectorUnitsAndTwiceTheBytesTake() {
        TransformerTimes half = times("eager", 2048, 1, AttentionKind.STANDARD);
        TransformerTimes single = TransformerTimes.of(
                GPT2_30B,
                Gpus.A100_40GB,
                Workload.of(2048, 1, AttentionKind.STANDARD),
                FrameworkProfile.named("eager").withElements(4));

        double ratio =
                (double) layerForward(single).gpuPs() / layerForward(half).gpuPs();
        assertThat(ratio).as("312 Tflop/s against 19.5, less what moves bytes").isBetween(8.0, 16.0);
        assertThat(layerForward(single).memoryPs())
                .isCloseTo(
                        2 * layerForward(half).memoryPs(),
                        within(layerForward(half).memoryPs() / 50));
        assertThat(single.optimizerStep(1_000_000)).as("32 bits in any case").isEqualTo(half.optimizerStep(1_000_000));
    }

    @Test
    void matmulsOfALayerHaveTheFlopsOfTheShape() {
        for (ModelShape shape : new ModelShape[] {GPT2_30B, ModelShape.llama(4096, 32, 32, 11008, 32000, 8)}) {
            LayerKernels kernels = new LayerKernels(
                    shape, Workload.of(1024, 2, AttentionKind.STANDARD), FrameworkProfile.named("fused"));
            double forward = flops(forward(kernels));
            assertThat(forward).isCloseTo(shape.layerForwardFlops(0, 2048, 1024), within(forward * 1e-12));
            assertThat(flops(backward(kernels))).isCloseTo(2 * forward, within(forward * 1e-12));
        }
    }

    /** Four ranks: three of four parts of a GEMM overlap with communication. */
    @Test
    void stretchesOfABlockHaveItsFlopsAndAllButOnePieceBesideAnExchange() {
        LayerKernels kernels = new LayerKernels(
                GPT2_30B,
                new Workload(2048, 1, AttentionKind.FLASH, new Split(4, 1, true, Logits.SPLIT)),
                FrameworkProfile.named("transformer-engine"));
        Segments segments = segments(kernels);
        for (Segment layer : List.of(segments.forward(LAYER), segments.backward(LAYER))) {
            for (Segment block : segments.blocks(layer)) {
                Segments.Exchanging cut = segments.exchanging(block);
                double all = flops(kernels.of(block));
                double parts =
                        flops(kernels.of(cut.entry())) + flops(kernels.of(cut.alone())) + flops(kernels.of(cut.exit()));
                assertThat(parts).isCloseTo(all, within(all * 1e-12));
                assertThat(products(kernels.of(cut.entry()))).isEqualTo(1);
                assertThat(products(kernels.of(cut.exit()))).isEqualTo(1);
            }
        }
    }

    /** Three quarters of a GEMM's rows overlap with communication. */
    @Test
    void pieceAndOtherPiecesHaveAllRows() {
        Kernel.Matmul product = new Kernel.Matmul("product", 1, 2048, 512, 256);
        assertThat(product.piece(4).m()).isEqualTo(512);
        assertThat(product.otherPieces(4).m()).isEqualTo(1536);
    }

    /** Transformer Engine's fp8 hybrid: the attention GEMMs and the logits stay in 16 bits. */
    @Test
    void productsOfLayersMayTakeEightBitsAndNothingElseDoes() {
        Workload workload = Workload.of(2048, 1, AttentionKind.FLASH);
        LayerKernels half = new LayerKernels(LLAMA, workload, FrameworkProfile.named("transformer-engine"));
        LayerKernels eight = new LayerKernels(LLAMA, workload, FrameworkProfile.named("transformer-engine-fp8"));

        assertThat(operands(forward(eight))).containsOnly(Kernel.Operands.EIGHT_BITS);
        assertThat(operands(backward(eight))).containsOnly(Kernel.Operands.EIGHT_BITS_SPLIT_SUMS);
        assertThat(operands(eight.of(segments(eight).forward(HEAD)))).containsOnly(Kernel.Operands.OF_THE_JOB);
        assertThat(operands(forward(half))).containsOnly(Kernel.Operands.OF_THE_JOB);
        assertThat(flops(backward(eight))).isEqualTo(flops(backward(half)));
        long tokens = 2048;
        long h = LLAMA.hidden();
        assertThat(bytesOf(forward(eight), "quantize-input")).isEqualTo(4 * tokens * (h + LLAMA.ffn()));
        assertThat(bytesOf(backward(eight), "transpose-input")).isEqualTo(2 * tokens * 2 * h);
        assertThat(bytesOf(backward(eight), "quantize-gradient"))
                .isEqualTo(4 * tokens * (h + 2L * LLAMA.kvHidden() + h + 2L * LLAMA.ffn() + h));
    }

    /** Steps over keys and values of other ranks, including their merging, cost as much as half of all scores. */
    @Test
    void attentionOverASplitSequenceGoesInEqualSteps() {
        FrameworkProfile profile = FrameworkProfile.named("transformer-engine");
        LayerKernels split = new LayerKernels(
                LLAMA, new Workload(8192, 1, AttentionKind.FLASH, new Split(1, 4, false, Logits.SPLIT)), profile);
        Segments segments = segments(split);
        for (Segment layer : List.of(segments.forward(LAYER), segments.backward(LAYER))) {
            Segments.Attending cut = segments.attending(layer);
            List<Kernel> joined = new ArrayList<>(split.of(cut.before()));
            for (int step = 0; step < 4; step++) {
                joined.addAll(split.of(cut.step()));
            }
            joined.addAll(split.of(cut.after()));
            assertThat(joined).isEqualTo(split.of(layer));
        }
        List<Kernel> step = split.of(segments.attending(segments.forward(LAYER)).step());
        assertThat(step).contains(new Kernel.FlashAttention("attention", 32, 2048, 128, true, Kernel.Pass.FORWARD));
        assertThat(bytesOf(step, "attention.merge")).isEqualTo(3L * 2 * 2048 * 4096);
    }

    private static List<Kernel.Operands> operands(List<Kernel> kernels) {
        return kernels.stream()
                .filter(Kernel.Matmul.class::isInstance)
                .map(kernel -> ((Kernel.Matmul) kernel).operands())
                .toList();
    }

    private static long bytesOf(List<Kernel> kernels, String name) {
        return kernels.stream()
                .filter(kernel -> kernel instanceof Kernel.MemoryBound moves
                        && moves.name().equals(name))
                .mapToLong(kernel -> ((Kernel.MemoryBound) kernel).bytes())
                .sum();
    }

    private static Segments segments(LayerKernels kernels) {
        return new Segments(kernels.shape().operators());
    }

    private static List<Kernel> forward(LayerKernels kernels) {
        return kernels.of(segments(kernels).forward(LAYER));
    }

    private static List<Kernel> backward(LayerKernels kernels) {
        return kernels.of(segments(kernels).backward(LAYER));
    }

    private static Phase layerForward(TransformerTimes times) {
        return times.of(new Segments(GPT2_30B.operators()).forward(LAYER));
    }

    private static long products(List<Kernel> kernels) {
        return kernels.stream().filter(Kernel.Matmul.class::isInstance).count();
    }

    @Test
    void tensorParallelRanksShareTheFlopsOfALayer() {
        FrameworkProfile profile = FrameworkProfile.named("megatron");
        double whole = flops(forward(new LayerKernels(
                GPT2_30B,
                new Workload(2048, 1, AttentionKind.STANDARD, new Split(1, 1, false, Logits.SPLIT)),
                profile)));
        double eighth = flops(forward(new LayerKernels(
                GPT2_30B,
                new Workload(2048, 1, AttentionKind.STANDARD, new Split(8, 1, false, Logits.SPLIT)),
                profile)));
        assertThat(8 * eighth).isCloseTo(whole, within(whole * 1e-12));
    }

    @Test
    void aBlocksBackwardIsWhatLeadsToItsInputAndItsFirstWeights() {
        for (ModelShape shape : new ModelShape[] {GPT2_30B, ModelShape.llama(4096, 32, 32, 11008, 32000, 8)}) {
            LayerKernels kernels = new LayerKernels(
                    shape,
                    new Workload(1024, 2, AttentionKind.STANDARD, new Split(8, 1, false, Logits.SPLIT)),
                    FrameworkProfile.named("megatron"));
            long h = shape.hidden();
            double attention = 2.0 * 2048 * h * (h + 2.0 * shape.kvHidden()) / 8;
            double feedForward = 2.0 * 2048 * h * shape.ffn() * (shape.equals(GPT2_30B) ? 1 : 2) / 8;
            Segments segments = segments(kernels);
            List<Segment> blocks = segments.blocks(segments.backward(LAYER));
            double[] weights = {feedForward, attention};
            for (int block = 0; block < 2; block++) {
                Segments.Exchanging cut = segments.besideWeights(blocks.get(block));
                double exit = flops(kernels.of(cut.exit()));
                double whole = flops(kernels.of(blocks.get(block)));
                assertThat(exit).isCloseTo(weights[block], within(exit * 1e-12));
                assertThat(flops(kernels.of(cut.alone())) + exit).isCloseTo(whole, within(whole * 1e-12));
            }
        }
    }

    @Test
    void oneRankWaitsForHalfOfASingleKernelAndTheSlowestOfManyForAllOfIt() {
        Phase move = times("fused", 2048, 3, AttentionKind.STANDARD).memoryMove(1 << 30);
        assertThat(move.waitPs(1)).isEqualTo(move.ps() / 2);
        assertThat(move.waitPs(3)).as("n of n + 1").isCloseTo(move.ps() * 3 / 4, within(1L));
        assertThat(move.waitPs(1023)).isCloseTo(move.ps() * 1023 / 1024, within(1L));
    }

    @Test
    void longKernelsAreWaitedForMoreOftenThanShortOnes() {
        Phase phase = new Phase(400, 0, 0, List.of(300L, 100L));
        assertThat(phase.waitPs(1)).as("3 of 4 times for half of 300").isEqualTo((300 * 300 + 100 * 100) / (2 * 400));
        assertThat(phase.waitPs(1_000_000)).isBetween(298L, 300L);
    }

    @Test
    void nobodyWaitsForAHostThatIssuesKernels() {
        assertThat(new Phase(100, 0, 400, List.of(100L)).waitPs(1))
                .as("a quarter of the time, half a kernel")
                .isEqualTo(12);
        assertThat(new Phase(0, 0, 0, List.of()).waitPs(8)).isZero();
    }

    private static double flops(Iterable<Kernel> kernels) {
        double flops = 0;
        for (Kernel kernel : kernels) {
            if (kernel instanceof Kernel.Matmul matmul) {
                flops += matmul.flops();
            }
        }
        return flops;
    }

    @Test
    void backwardTakesAboutTwiceTheForward() {
        TransformerTimes times = times("smp", 2048, 2, AttentionKind.STANDARD);
        double ratio = (double) times.of(new Segments(GPT2_30B.operators()).backward(LAYER))
                        .ps()
                / layerForward(times).ps();
        assertThat(ratio).isBetween(1.7, 2.3);
    }

    @Test
    void flashAttentionIsFasterThanStandardAndMoreSoOnLongSequences() {
        double atShort = speedUp(512);
        double atLong = speedUp(2048);
        assertThat(atShort).isGreaterThan(1.0);
        assertThat(atLong).isGreaterThan(atShort);
    }

    private static double speedUp(int sequence) {
        long standard =
                layerForward(times("smp", sequence, 2, AttentionKind.STANDARD)).ps();
        long flash =
                layerForward(times("smp", sequence, 2, AttentionKind.FLASH)).ps();
        return (double) standard / flash;
    }

    @Test
    void recomputationIsNothingPartOrAll() {
        TransformerTimes times = times("smp", 2048, 1, AttentionKind.STANDARD);
        Segments segments = new Segments(GPT2_30B.operators());
        assertThat(times.of(segments.recompute(LAYER, Checkpointing.NONE, false))
                        .ps())
                .isZero();
        assertThat(times.of(segments.recompute(LAYER, Checkpointing.SELECTIVE, false))
                        .ps())
                .isBetween(1L, layerForward(times).ps() / 2);
        assertThat(times.of(segments.recompute(LAYER, Checkpointing.FULL, false)))
                .isEqualTo(layerForward(times));
    }

    /** Key, output and up projection are every second GEMM of a Llama layer; with biases none is saved. */
    @Test
    void operatorRecomputesEverySecondProductAndNoAttention() {
        Workload workload = Workload.of(4096, 1, AttentionKind.FLASH);
        FrameworkProfile profile = FrameworkProfile.named("fsdp");
        LayerKernels llama = new LayerKernels(ModelShape.llama(4096, 32, 32, 14336, 128256, 8), workload, profile);
        LayerKernels gpt = new LayerKernels(ModelShape.gpt2(1024, 24, 16, 50257, 4096), workload, profile);
        assertThat(products(llama)).containsExactly("attention.key", "attention.output", "ffn.up");
        assertThat(products(gpt)).containsExactly("attention.qkv", "attention.output", "ffn.up");
        assertThat(llama.of(segments(llama).recompute(LAYER, Checkpointing.OPERATOR, false)))
                .noneMatch(Kernel.FlashAttention.class::isInstance);
        assertThat(llama.of(segments(llama).recompute(LAYER, Checkpointing.FULL, false)))
                .anyMatch(Kernel.FlashAttention.class::isInstance);
    }

    private static List<String> products(LayerKernels kernels) {
        return kernels.of(segments(kernels).recompute(LAYER, Checkpointing.OPERATOR, false)).stream()
                .filter(Kernel.Matmul.class::isInstance)
                .map(kernel -> ((Kernel.Matmul) kernel).name())
                .toList();
    }

    @Test
    void smallLayersWaitForTheHost() {
        TransformerTimes small = TransformerTimes.of(
                ModelShape.gpt2(1024, 24, 16, 50257, 1024),
                Gpus.A100_80GB,
                Workload.of(1024, 1, AttentionKind.STANDARD),
                FrameworkProfile.named("megatron"));
        Phase few = layerForward(small);
        Phase many = layerForward(times("megatron", 2048, 4, AttentionKind.STANDARD));
        assertThat(few.ps()).isEqualTo(few.hostPs()).isGreaterThan(few.gpuPs());
        assertThat(many.ps()).isEqualTo(many.gpuPs()).isGreaterThan(many.hostPs());
    }

    @Test
    void fusionNeverSlowsALayer() {
        long eager = layerForward(times("eager", 2048, 2, AttentionKind.FLASH)).gpuPs();
        long fused = layerForward(times("fused", 2048, 2, AttentionKind.FLASH)).gpuPs();
        long compiled =
                layerForward(times("compiled", 2048, 2, AttentionKind.FLASH)).gpuPs();
        assertThat(fused).isLessThan(eager);
        assertThat(compiled).isLessThanOrEqualTo(fused);
    }

    @Test
    void aLossInPiecesMakesTheSameProductsWithFewLogitsAtATime() {
        ModelShape llama = ModelShape.llama(2048, 16, 32, 8192, 128256, 8);
        Workload workload = Workload.of(1024, 37, AttentionKind.FLASH);
        FrameworkProfile liger = FrameworkProfile.named("liger");
        LayerKernels pieces = new LayerKernels(llama, workload, liger);
        LayerKernels whole = new LayerKernels(llama, workload, FrameworkProfile.named("eager"));

        assertThat(liger.lossPieceTokens(37 * 1024, llama))
                .as("37,888 tokens in 63 pieces are 602 each, the next power of two")
                .isEqualTo(1024);
        assertThat(liger.lossPieceTokens(100, llama)).as("2 each").isEqualTo(2);
        assertThat(FrameworkProfile.named("eager").lossPieceTokens(37 * 1024, llama))
                .isEqualTo(37 * 1024);
        assertThat(pieces.of(segments(pieces).forward(HEAD)).stream().filter(Kernel.Matmul.class::isInstance))
                .hasSize(3 * 37);
        assertThat(flops(pieces.of(segments(pieces).forward(HEAD))))
                .isEqualTo(flops(whole.of(segments(whole).forward(HEAD)))
                        + flops(whole.of(segments(whole).backward(HEAD))));
        assertThat(flops(pieces.of(segments(pieces).backward(HEAD)))).isZero();
    }

    @Test
    void unknownProfilesAreRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> FrameworkProfile.named("caffe"))
                .hasMessageContaining("caffe")
                .hasMessageContaining("megatron");
        assertThatThrownBy(() -> FrameworkProfile.named("../ampere")).hasMessageContaining("../ampere");
    }

    @Test
    void everyShippedProfileIsCompleteAndSourced() {
        for (String name : FrameworkProfile.names()) {
            FrameworkProfile profile = FrameworkProfile.named(name);
            assertThat(profile.hostKernelPs(false)).as(name).isPositive();
            for (FrameworkProfile.Operator operator : FrameworkProfile.Operator.values()) {
                FrameworkProfile.Cost cost = profile.cost(operator);
                assertThat(cost.bytes() > 0).as("%s %s", name, operator).isEqualTo(cost.kernels() > 0);
            }
        }
    }

    @Test
    void optimizerTimeGrowsWithTheLocalParameters() {
        TransformerTimes times = times("smp", 2048, 1, AttentionKind.STANDARD);
        double ratio = (double) times.optimizerStep(2_000_000_000L).ps()
                / times.optimizerStep(1_000_000_000L).ps();
        assertThat(ratio).isCloseTo(2.0, within(0.01));
    }

    @Test
    void shapesOutsideTheCalibrationAreNamed() {
        FrameworkProfile profile = FrameworkProfile.named("smp");
        LayerKernels inside = new LayerKernels(GPT2_30B, Workload.of(2048, 2, AttentionKind.STANDARD), profile);
        assertThat(inside.remarks(GpuCalibration.of(Gpus.A100_40GB))).isEmpty();
        assertThat(inside.remarks(GpuCalibration.of(Gpus.V100))).hasSize(1);

        ModelShape tiny = ModelShape.gpt2(128, 2, 2, 50257, 64);
        LayerKernels outside = new LayerKernels(tiny, Workload.of(64, 1, AttentionKind.STANDARD), profile);
        assertThat(outside.remarks(GpuCalibration.of(Gpus.A100_40GB)))
                .hasSize(2)
                .anyMatch(remark -> remark.contains("64 tokens"))
                .anyMatch(remark -> remark.contains("hidden width 128"));
    }
}
