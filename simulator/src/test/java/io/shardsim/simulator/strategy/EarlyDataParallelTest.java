package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_TO_ALL;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Operation.Collective;
import io.shardsim.simulator.plan.Operation.Compute;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Horovod, MirroredStrategy and parameter servers by arithmetic: 64 GPUs on 8 nodes, Psi parameters with FP32 gradients. */
class EarlyDataParallelTest {
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 24, 16, 50257, 1024);
    private static final double PSI = MODEL.parameters();
    private static final long MEBIBYTE = 1 << 20;
    private static final TrainingJob JOB = Strategies.job(MODEL, 64, 1024, 2, 1);

    private static StepPlan plan(String kind, Map<String, ?> given) {
        return Strategies.of(kind, given).plan(JOB);
    }

    /** Layers have 12.6 million parameters, 50 MB, so each is a buffer; the embedding of 206 MB is one tensor. */
    @Test
    void aCycleFusesTheGradientsOfALayer() {
        StepPlan plan = plan("horovod", Map.of());
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "buffer")).isEqualTo((long) (4 * PSI));
        assertThat(Strategies.count(plan, ALL_REDUCE, "buffer")).isBetween(25L, 28L);
        assertThat(Strategies.moved(plan, "fill fusion buffer")).isEqualTo((long) (8 * PSI));
    }

    @Test
    void moreLayersInACycleFillTheFusionBuffer() {
        StepPlan plan = plan("horovod", Map.of("layers_per_cycle", 8, "fusion_buffer", "128 MiB"));
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "buffer")).isEqualTo((long) (4 * PSI));
        // 302 M parameters of layers in buffers of two layers and a part of the third, then the embedding.
        assertThat(Strategies.count(plan, ALL_REDUCE, "buffer")).isBetween(10L, 15L);
        long small = IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i) instanceof Collective buffer
                        && buffer.kind() == ALL_REDUCE
                        && buffer.totalBytes() > 4
                        && buffer.totalBytes() <= 128 * MEBIBYTE)
                .count();
        assertThat(small).isEqualTo(Strategies.count(plan, ALL_REDUCE, "buffer") - 1);
    }

    /** Half a cycle of 5 ms, and log2(64) steps of 20 us; cycles find the final norm, each of 24 layers, and the embeddings. */
    @Test
    void everyCycleWaitsForHalfItsTimeAndForAllRanks() {
        StepPlan plan = plan("horovod", Map.of());
        assertThat(Strategies.moved(plan, "wait for the cycle"))
                .isEqualTo((24 + 2) * (2_500_000_000L + 6 * 20_000_000L));
    }

    /** All gradients are ready at once, as after accumulation: one wait, then buffers of 64 MiB back to back. */
    @Test
    void aCycleThatFindsAllLayersWaitsOnceAndAfterBackward() {
        StepPlan plan = plan("horovod", Map.of("layers_per_cycle", 1000));
        assertThat(Strategies.moved(plan, "wait for the cycle")).isEqualTo(2_500_000_000L + 6 * 20_000_000L);
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "buffer")).isEqualTo((long) (4 * PSI));
        assertThat(Strategies.count(plan, ALL_REDUCE, "buffer")).isBetween(20L, 28L);
        assertThat(first(plan, "fill fusion buffer")).isGreaterThan(last(plan, "accumulate gradients"));
    }

    @Test
    void onlyTheLastMicroBatchQueuesGradients() {
        StepPlan once = plan("horovod", Map.of());
        StepPlan accumulated = Strategies.of("horovod", Map.of()).plan(Strategies.job(MODEL, 64, 1024, 2, 4));
        assertThat(Strategies.count(accumulated, ALL_REDUCE, "buffer"))
                .isEqualTo(Strategies.count(once, ALL_REDUCE, "buffer"));
        assertThat(Strategies.moved(accumulated, "wait for the cycle"))
                .isEqualTo(Strategies.moved(once, "wait for the cycle"));
    }

    private static int first(StepPlan plan, String label) {
        return labelled(plan, label).min().orElseThrow();
    }

    private static int last(StepPlan plan, String label) {
        return labelled(plan, label).max().orElseThrow();
    }

    private static IntStream labelled(StepPlan plan, String label) {
        return IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i).label().contains(label));
    }

    @Test
    void compressionHalvesTheBytesAndCastsThem() {
        StepPlan plan = plan("horovod", Map.of("fp16_compression", true));
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "buffer")).isEqualTo((long) (2 * PSI));
        assertThat(Strategies.moved(plan, "fusion buffer")).isEqualTo((long) (2 * 6 * PSI));
    }

    /** Two micro-batches: two norms and two agreements of four bytes, and all buffers after the last norm. */
    @Test
    void clippedMicroBatchesAgreeAndReduceAfterTheirNorm() {
        TrainingJob job = Strategies.job(MODEL, 64, 1024, 2, 2);
        StepPlan plan =
                Strategies.of("horovod", Map.of("clip_micro_batches", true)).plan(job);
        assertThat(Strategies.count(plan, ALL_REDUCE, "finite")).isEqualTo(2);
        assertThat(Strategies.moved(plan, "clip micro-batch")).isEqualTo((long) (2 * PSI));
        assertThat(Strategies.moved(plan, "gradient norm")).isZero();
        int lastNorm = lastNamed(plan, "clip micro-batch");
        assertThat(IntStream.range(0, plan.size())
                        .filter(i -> plan.operation(i) instanceof Collective buffer
                                && buffer.label().contains("buffer")))
                .isNotEmpty()
                .allMatch(i -> i > lastNorm);
    }

    private static int lastNamed(StepPlan plan, String label) {
        return IntStream.range(0, plan.size())
                .filter(i -> plan.operation(i) instanceof Compute compute
                        && compute.label().contains(label))
                .max()
                .orElseThrow();
    }

    /** Each of 8 GPUs of a node sends an eighth of the buffer between nodes. */
    @Test
    void hierarchicalReductionsCrossNodesWithAnEighth() {
        StepPlan plan = plan("horovod", Map.of("hierarchical_all_reduce", true));
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "in node") / PSI).isCloseTo(4, within(0.001));
        assertThat(Strategies.bytes(plan, ALL_REDUCE, "between nodes") / PSI).isCloseTo(0.5, within(0.001));
        assertThat(Strategies.bytes(plan, ALL_GATHER, "in node") / PSI).isCloseTo(4, within(0.001));
    }

    @Test
    void mirroredReducesOnceAfterBackward() {
        StepPlan plan = plan("mirrored", Map.of());
        assertThat(Strategies.count(plan, ALL_REDUCE, "buffer")).isEqualTo(1);
        assertThat(Strategies.moved(plan, "wait for the cycle")).isZero();
    }

    /**
     * BytePS, section 2.2, servers on the workers: (n - 1) / n S out of a node with pushes and as much with pulls. An all-to-all of B bytes on n ranks
     * sends (n - 1) / n B from each, a gather of B receives as much, and each of 8 GPUs has S / 8.
     */
    @Test
    void serversMoveAsManyBytesAsTheClosedForm() {
        StepPlan plan = plan("parameter-server", Map.of());
        double ofAGpu = 4 * PSI / 8;
        assertThat(Strategies.bytes(plan, ALL_TO_ALL, "push") / ofAGpu).isCloseTo(1, within(0.001));
        assertThat(Strategies.bytes(plan, ALL_GATHER, "pull") / ofAGpu).isCloseTo(1, within(0.001));
        assertThat(Strategies.moved(plan, "store gradients") / ofAGpu).isCloseTo(1, within(0.001));
        assertThat(Strategies.moved(plan, "load parameters") / ofAGpu).isCloseTo(1, within(0.001));
        assertThat(Strategies.bytes(plan, REDUCE_SCATTER, "in node") / (4 * PSI))
                .isCloseTo(1, within(0.001));
    }

    /** A server adds up 8 slices of 4 bytes and moves 20 bytes per parameter of its eighth, at 50 GB/s; no GPU updates. */
    @Test
    void serversUpdateTheirShareAtTheRateOfTheHost() {
        StepPlan plan = plan("parameter-server", Map.of());
        double seconds = PSI / 8 * (8 * 4 + 20) / 50e9;
        assertThat(Strategies.moved(plan, "update on the server") / 1e12).isCloseTo(seconds, within(0.001 * seconds));
        assertThat(IntStream.range(0, plan.size())
                        .filter(i -> plan.operation(i) instanceof Compute compute
                                && compute.label().contains("optimizer step")))
                .isEmpty();
    }
}
