package io.shardsim.scenarios.composition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.question.ScenarioReader;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What comes beside the figures of a run: advice, and what goes on around the step. */
class AdviceTest {
    private static final String SCENARIO = """
            scenario: advised
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training: {sequence_length: 512, global_batch: 128, micro_batch: 2, activation_checkpointing: none}
            strategy: {kind: mics, shard_group: 16}
            """;

    private static RunResult run(String text) throws Exception {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(
                    ScenarioReader.readText("a.yaml", text).points().get(0));
        }
    }

    private static List<String> advice(String text) throws Exception {
        return run(text).facts().advice();
    }

    private static double rate(String text, int shardGroup) throws Exception {
        return run(text.replace("shard_group: 16", "shard_group: " + shardGroup))
                .step()
                .samplesPerSecond();
    }

    /** 1.5 billion parameters make one node of eight; the figures are those of runs with these groups. */
    @Test
    void theRuleOfThumbStandsBesideWhatTheNeighboursCameTo() throws Exception {
        assertThat(advice(SCENARIO))
                .singleElement()
                .asString()
                .contains(
                        "1.56 billion make 8 GPUs here; this run has 16. Simulated: with 8 it makes "
                                + Quantities.significant(rate(SCENARIO, 8)) + " samples/s in",
                        "; with 32 it makes " + Quantities.significant(rate(SCENARIO, 32)));
    }

    /** 6 flops per parameter and token, and 12 L h s of attention, over 312 Tflop/s in 16 bits and 19.5 in 32 (NVIDIA A100 data sheet). */
    @Test
    void utilizationIsThatOfWhatWorksInThePrecision() throws Exception {
        for (String precision : List.of("bf16", "fp32")) {
            RunResult.Training trained = run(SCENARIO.replace(
                            "micro_batch: 2", "micro_batch: 2, precision: " + precision))
                    .training();
            double flopsPerToken = 6 * 1.557e9 + 12.0 * 48 * 1600 * 512;
            double peak = precision.equals("fp32") ? 19.5e12 : 312e12;
            assertThat(trained.flops().mfu())
                    .isCloseTo(trained.tokensPerSecondPerGpu() * flopsPerToken / peak, withinPercentage(1.0));
        }
    }

    @Test
    void whoWaitsForTheHostIsToldForWhat() throws Exception {
        String inHostMemory = SCENARIO.replace("kind: mics, shard_group: 16", "kind: zero2");
        assertThat(Diagnosis.of(run(inHostMemory.replace(
                                "activation_checkpointing: none",
                                "activation_checkpointing: full, activation_offload: true")))
                        .next())
                .startsWith("Keep activations on the GPU (no offload)");
        assertThat(Diagnosis.of(run(inHostMemory.replace("kind: zero2", "kind: zero2, offload_optimizer: true")))
                        .next())
                .startsWith("Keep optimizer states on the GPU");
    }

    @Test
    void aSweepHasPointsOfItsOwnAndSimulatesNoNeighbours() throws Exception {
        assertThat(advice(SCENARIO + "sweep: {cluster.nodes: [4]}\n"))
                .singleElement()
                .asString()
                .doesNotContain("Simulated");
    }

    @Test
    void aStrategyWithoutShardGroupsIsToldWhichHaveThem() throws Exception {
        assertThat(advice(SCENARIO.replace("mics, shard_group: 16", "zero3-0.11")))
                .singleElement()
                .asString()
                .contains("this run has 32, since its strategy knows no smaller ones (fsdp-hybrid, fsdp2, mics do)");
    }

    @Test
    void aSmallModelIsToldThatPlainDataParallelismIsEnough() throws Exception {
        String small = SCENARIO.replace("gpt2-1.5b", "{hidden: 1024, layers: 24, heads: 16, vocab: 50257}");
        assertThat(advice(small)).hasSize(2).last().asString().startsWith("plain data parallelism (ddp) is enough");
        assertThat(advice(small.replace("mics, shard_group: 16", "ddp"))).isEmpty();
    }

    /** GPT-2 30B in 40 GB, where nothing but the inputs of most layers can be kept, and 1.5B, where all can. */
    @Test
    void checkpointsNoMoreLayersThanNeeded() throws Exception {
        String full = SCENARIO.replace("activation_checkpointing: none", "activation_checkpointing: full");
        assertThat(advice(full)).last().asString().startsWith("nothing needs to be computed again");

        String large = full.replace("gpt2-1.5b", "gpt2-10b")
                .replace("512", "2048")
                .replace("shard_group: 16", "shard_group: 32");
        String told = advice(large).get(advice(large).size() - 1);
        Matcher said = Pattern.compile("checkpointed_layers: (\\d+)").matcher(told);
        assertThat(said.find()).as(told).isTrue();
        int layers = Integer.parseInt(said.group(1));
        String fewer = large.replace(": full", ": full, checkpointed_layers: " + layers);
        assertThat(run(fewer).fits()).isTrue();
        assertThat(run(fewer).step().samplesPerSecond())
                .isGreaterThan(run(large).step().samplesPerSecond());
        RunFacts.Memory oneFewer = run(fewer.replace("layers: " + layers, "layers: " + (layers - 1)))
                .facts()
                .ledger();
        assertThat(oneFewer.peakBytes())
                .as("leaves no room for what the allocator reserves")
                .isGreaterThan(oneFewer.capacityBytes());
    }

    @Test
    void gradientsMayWaitForTheLastMicroBatchWhereThatFits() throws Exception {
        String fsdp = SCENARIO.replace("mics, shard_group: 16", "fsdp2");
        RunResult once = run(fsdp.replace("fsdp2", "fsdp2, no_sync: true"));
        assertThat(advice(fsdp))
                .last()
                .asString()
                .startsWith("each of the 2 micro-batches reduces its gradients; with no_sync: true")
                .contains(Quantities.gib(once.facts().ledger().peakBytes()));
        assertThat(once.facts().advice()).noneMatch(sentence -> sentence.contains("no_sync"));
        assertThat(once.step().samplesPerSecond())
                .isGreaterThan(run(fsdp).step().samplesPerSecond());

        RunResult large = run(fsdp.replace("gpt2-1.5b", "gpt2-30b").replace("micro_batch: 2", "micro_batch: 1"));
        assertThat(large.fits()).isTrue();
        assertThat(large.facts().advice())
                .as("60 GB of gradients on a GPU of 40")
                .noneMatch(sentence -> sentence.contains("no_sync"));
    }

    @Test
    void adviceThatFitsTightlySaysSo() throws Exception {
        String each = SCENARIO.replace("gpt2-1.5b", "llama3-8b")
                .replace("sequence_length: 512", "sequence_length: 8192")
                .replace("micro_batch: 2, activation_checkpointing: none", "micro_batch: 1")
                .replace("mics, shard_group: 16", "fsdp");
        assertThat(run(each).facts().ledger().fit().isRoomy()).isTrue();
        assertThat(advice(each))
                .anyMatch(
                        sentence -> sentence.contains(
                                "no_sync: true the last one reduces them all, which fits tightly (needs 38.0 of 39.6 GiB per GPU, 41.3 GiB with fragmentation)."));
    }

    /** One of two switches after the other, until both are on. */
    @Test
    void communicationMayGoOnBesideComputation() throws Exception {
        String none = SCENARIO.replace("mics, shard_group: 16", "megatron-core");
        String reduce = none.replace("megatron-core", "megatron-core, overlap_grad_reduce: true");
        String both = reduce.replace("reduce: true", "reduce: true, overlap_param_gather: true");
        assertThat(advice(none))
                .contains(
                        "gradients are reduced with nothing beside it; with overlap_grad_reduce: true the backward goes on meanwhile.");
        assertThat(advice(reduce))
                .contains(
                        "updated parameters are gathered with nothing beside it; with overlap_param_gather: true the next step's forward goes on meanwhile.");
        assertThat(advice(both)).noneMatch(sentence -> sentence.contains("nothing beside"));
        assertThat(run(reduce).step().samplesPerSecond())
                .isGreaterThan(run(none).step().samplesPerSecond());
        assertThat(run(both).step().samplesPerSecond())
                .isGreaterThan(run(reduce).step().samplesPerSecond());
        assertThat(advice(SCENARIO.replace("mics, shard_group: 16", "zero2")))
                .anyMatch(sentence -> sentence.contains("overlap_comm: true"));
    }

    @Test
    void laterVersionsOfDeepSpeedOverlap() throws Exception {
        String early = SCENARIO.replace("mics, shard_group: 16", "zero3");
        String late = early.replace("zero3", "zero3-0.11");
        assertThat(advice(early))
                .anyMatch(sentence -> sentence.contains("overlap_in_backward: true")
                        && sentence.contains("DeepSpeed 0.11 and later"));
        assertThat(advice(late)).noneMatch(sentence -> sentence.contains("overlap_in_backward"));
        assertThat(run(late).step().samplesPerSecond())
                .isGreaterThan(run(early).step().samplesPerSecond());
    }

    @Test
    void checkpointsBelongInsideOfUnits() throws Exception {
        String around = SCENARIO.replace("mics, shard_group: 16", "fsdp, reentrant_checkpoints: true");
        assertThat(advice(around)).noneMatch(sentence -> sentence.contains("around units"));
        assertThat(run(around).facts().notes())
                .contains("reentrant_checkpoints has no effect without full checkpoints");

        String full = around.replace("activation_checkpointing: none", "activation_checkpointing: full");
        String inside = full.replace(", reentrant_checkpoints: true", "");
        assertThat(advice(full)).anyMatch(sentence -> sentence.startsWith("checkpoints lie around units"));
        assertThat(advice(inside)).noneMatch(sentence -> sentence.contains("around units"));
        assertThat(run(inside).step().samplesPerSecond())
                .isGreaterThan(1.2 * run(full).step().samplesPerSecond());
    }

    @Test
    void aSettingWithoutEffectIsANote() throws Exception {
        String once = SCENARIO.replace("mics, shard_group: 16", "fsdp, no_sync: true");
        assertThat(run(once).facts().notes()).doesNotContain("no_sync has no effect with one micro-batch a step");
        assertThat(run(once.replace("micro_batch: 2", "micro_batch: 4")).facts().notes())
                .contains("no_sync has no effect with one micro-batch a step");
    }

    @Test
    void whatShardingDoesNotSplitCallsForTensorOrPipelineParallelism() throws Exception {
        String long512k = SCENARIO.replace("gpt2-1.5b", "llama2-70b")
                .replace("sequence_length: 512", "sequence_length: 131072")
                .replace("micro_batch: 2", "micro_batch: 1");
        assertThat(run(long512k).fits()).isFalse();
        assertThat(advice(long512k)).last().asString().startsWith("more sharding will not make it fit");
    }

    /** The developer guide: above 20 or 40 billion parameters host memory might not be enough. */
    @Test
    void modelsTooLargeForHostMemoryNeedDelayedInitialization() throws Exception {
        String hidden8192 = SCENARIO.replace("gpt2-1.5b", "{hidden: 8192, layers: LAYERS, heads: 64, vocab: 50257}")
                .replace("micro_batch: 2", "micro_batch: 1, delayed_parameter_initialization: DELAYED")
                .replace("activation_checkpointing: none", "activation_checkpointing: full")
                .replace("{kind: mics, shard_group: 16}", "{kind: zero3}");
        AroundTheStep below =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "24").replace("DELAYED", "false")));
        AroundTheStep above =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "50").replace("DELAYED", "false")));
        AroundTheStep delayed =
                AroundTheStep.of(run(hidden8192.replace("LAYERS", "50").replace("DELAYED", "true")));
        assertThat(below.startUp().parameters()).isBetween(19_000_000_000L, 21_000_000_000L);
        assertThat(below.startUp().fits()).isTrue();
        assertThat(above.startUp().parameters()).isBetween(40_000_000_000L, 42_000_000_000L);
        assertThat(above.startUp().fits()).isFalse();
        assertThat(above.sentences().get(0)).endsWith("set delayed_parameter_initialization: true.");
        assertThat(delayed.startUp().fits()).isTrue();
        assertThat(delayed.startUp().seconds()).isLessThan(1);
    }

    @Test
    void inputAndCheckpointsComeFromTheCatalogAndTheScenario() throws Exception {
        RunResult run = run(SCENARIO
                + "storage: {input: fsx-lustre, sample_size: 1 GiB, capacity: 2 TiB, throughput_per_tib: 500 MB/s}\n"
                + "checkpoint: {to: s3, every: 10}\n");
        AroundTheStep around = AroundTheStep.of(run);
        assertThat(around).isNotNull();
        assertThat(around.input().seconds()).isCloseTo(128 * 1073741824.0 / 1e9, within(1e-6));
        assertThat(around.checkpoint().writeSeconds())
                .as("two nodes, 15 requests of 85 MB/s each")
                .isCloseTo(run.facts().model().parameters() * 14.0 / (2 * 15 * 85e6), within(1e-6));
        assertThat(run.facts().sources()).anyMatch(source -> source.toString().contains("s3 rate_per_request"));
        assertThat(run(SCENARIO).digest()).as("the step is the same").isEqualTo(run.digest());
    }
}
