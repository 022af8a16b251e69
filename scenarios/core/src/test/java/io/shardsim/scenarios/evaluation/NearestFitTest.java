package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.yaml.InputException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change proposed for a model that does not fit makes it fit. */
class NearestFitTest {
    private static final String SCENARIO = """
            scenario: big
            model: gpt3-13b
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {attention: standard, sequence_length: 2048, global_batch: 64, activation_checkpointing: full}
            strategy: {kind: zero3}
            """;

    private static ScenarioPoint point(String text) throws InputException {
        return ScenarioReader.readText("a.yaml", text).points().get(0);
    }

    private static RunResult run(String text) throws InputException, InterruptedException {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(point(text));
        }
    }

    private static String remedy(String text) throws InputException, InterruptedException {
        RunResult result = run(text);
        assertThat(result.fits()).as("fits without any change").isFalse();
        return Objects.requireNonNull(result.remedy());
    }

    @Test
    void aSmallerMicroBatchIsProposedFirst() throws Exception {
        assertThat(remedy(SCENARIO.replace("global_batch: 64", "global_batch: 1024, micro_batch: 64")))
                .matches(
                        "fits with: micro_batch \\d+ \\(needs [0-9.]+ of 39.6 GiB per GPU, [0-9.]+ GiB with fragmentation\\)");
    }

    @Test
    @Tag("slow")
    void whatFitsTightlyIsProposedBesideWhatFitsWithRoom() throws Exception {
        String full = SCENARIO.replace("gpt3-13b", "llama3-8b")
                .replace("2048", "8192")
                .replace("zero3", "fsdp, no_sync: true");
        String large = full.replace("nodes: 2", "nodes: 8").replace("batch: 64", "batch: 256, micro_batch: 4");
        Matcher proposed = Pattern.compile("fits tightly with: micro_batch 1 (\\(.*\\));"
                        + " fits with headroom: activation_offload true, micro_batch 1 (\\(.*\\))")
                .matcher(remedy(large));
        assertThat(proposed.matches()).isTrue();
        RunResult tight = run(large.replace("micro_batch: 4", "micro_batch: 1"));
        RunResult roomy = run(large.replace("micro_batch: 4", "micro_batch: 1, activation_offload: true"));
        assertThat(proposed.group(1))
                .isEqualTo("(" + MemoryWords.needs(tight.facts().ledger().fit()) + ")");
        assertThat(proposed.group(2))
                .isEqualTo("(" + MemoryWords.needs(roomy.facts().ledger().fit()) + ")");
        assertThat(tight.facts().ledger().fit().isTight()).isTrue();
        assertThat(roomy.facts().ledger().fit().isRoomy()).isTrue();
    }

    @Test
    void recomputationIsProposedWhereActivationsAreTheTrouble() throws Exception {
        String fewSamples = SCENARIO.replace("global_batch: 64", "global_batch: 16");
        assertThat(remedy(fewSamples.replace("checkpointing: full", "checkpointing: none")))
                .startsWith("fits with: activation_checkpointing full, micro_batch 1 (");
        assertThat(run(fewSamples).fits()).isTrue();
    }

    @Test
    void moreNodesAreProposedWhereStatesAreTheTroubleAndThatManyFit() throws Exception {
        String large = SCENARIO.replace("gpt3-13b", "gpt3-175b");
        Matcher proposed = Pattern.compile(
                        "fits tightly with: nodes (\\d+), global_batch (\\d+), micro_batch 1 \\(.*\\);"
                                + " fits with headroom: nodes (\\d+), global_batch (\\d+), micro_batch 1 \\(.*")
                .matcher(remedy(large));
        assertThat(proposed.matches()).isTrue();
        for (int group : new int[] {1, 3}) {
            int nodes = Integer.parseInt(proposed.group(group));
            assertThat(Integer.parseInt(proposed.group(group + 1))).isEqualTo(nodes * 8);
            MemoryFit fit = TrainingPoint.of(point(
                            large.replace("nodes: 2", "nodes: " + nodes).replace("batch: 64", "batch: " + nodes * 8)))
                    .found()
                    .fit();
            assertThat(fit.isTight()).isEqualTo(group == 1);
            assertThat(fit.isRoomy()).isEqualTo(group == 3);
        }
    }

    @Test
    void aShardGroupAsLargeAsTheClusterGrowsWithIt() throws Exception {
        String capped =
                SCENARIO.replace("gpt3-13b", "gpt3-175b").replace("{kind: zero3}", "{kind: mics, shard_group: 128}")
                        + "sweep: {cluster.nodes: [2]}\n";
        Matcher proposed = Pattern.compile("fits with: nodes (\\d+), shard_group (\\d+), global_batch .*")
                .matcher(remedy(capped));
        assertThat(proposed.matches()).isTrue();
        assertThat(Integer.parseInt(proposed.group(2))).isEqualTo(8 * Integer.parseInt(proposed.group(1)));
    }

    @Test
    void aModelIsSplitAmongANodeWhereNothingElseHelps() throws Exception {
        String replicated = SCENARIO.replace("gpt3-13b", "gpt2-10b").replace("zero3", "ddp");
        Matcher proposed = Pattern.compile("fits with: tensor_parallel (\\d+), micro_batch (\\d+) \\(.*")
                .matcher(remedy(replicated));
        assertThat(proposed.matches()).isTrue();
        String split = replicated
                .replace("ddp", "ddp, tensor_parallel: " + proposed.group(1))
                .replace("batch: 64", "batch: 64, micro_batch: " + proposed.group(2));
        assertThat(run(split).fits()).isTrue();
    }

    @Test
    void whatNoClusterHoldsIsSaid() throws Exception {
        assertThat(remedy(SCENARIO.replace("gpt3-13b", "gpt3-175b").replace("zero3", "ddp")))
                .isEqualTo(
                        "this strategy does not fit on up to 4096 nodes at any tensor_parallel within a node; choose one that shards more, a smaller model, or a GPU with more memory");
    }
}
