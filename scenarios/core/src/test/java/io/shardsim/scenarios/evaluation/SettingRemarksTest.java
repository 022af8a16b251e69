package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A setting without effect, or with another meaning than people expect, gets a remark. */
class SettingRemarksTest {
    private static final String SCENARIO = """
            scenario: remarked
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 512, global_batch: 16, micro_batch: 1, activation_checkpointing: full}
            strategy: {kind: KIND}
            """;

    private static PointSimulation simulation;

    @BeforeAll
    static void start() {
        simulation = new PointSimulation(1, true);
    }

    @AfterAll
    static void stop() {
        simulation.close();
    }

    private static RunResult run(String text) throws Exception {
        return simulation.run(ScenarioReader.readText("a.yaml", text).points().get(0));
    }

    private static List<String> notes(String strategy) throws Exception {
        return run(SCENARIO.replace("KIND", strategy)).facts().notes();
    }

    @Test
    @Tag("slow")
    void aStrategySaysWhichVersionItModels() throws Exception {
        assertThat(notes("zero3"))
                .contains("zero3 models DeepSpeed 0.7.2; for DeepSpeed 0.11.1 write kind: zero3-0.11");
        assertThat(notes("zero3-0.11")).contains("zero3-0.11 models DeepSpeed 0.11.1");
        assertThat(notes("fsdp")).contains("fsdp models PyTorch 2.0; for PyTorch 2.6 write kind: fsdp2");
        assertThat(notes("megatron-core")).anyMatch(note -> note.startsWith("megatron-core models Megatron-Core"));
    }

    @Test
    void selectiveIsNotThatOfTorchtitan() throws Exception {
        assertThat(run(SCENARIO.replace("KIND", "fsdp2").replace("full", "selective"))
                        .facts()
                        .notes())
                .anyMatch(note -> note.contains("as Megatron-LM does") && note.contains("write operator"));
        assertThat(notes("fsdp2")).noneMatch(note -> note.contains("torchtitan"));
    }

    @Test
    @Tag("slow")
    void overlapCommOfEarlyVersionsDoesNotOverlapTheBackward() throws Exception {
        assertThat(notes("zero3, overlap_comm: true"))
                .anyMatch(note -> note.startsWith("gathers and reductions do not overlap with the backward"))
                .contains("overlap_comm has no effect here: true and false give the same step");
        assertThat(notes("zero3-0.11, overlap_comm: true"))
                .noneMatch(note -> note.contains("serialized") || note.startsWith("overlap_comm"));
    }

    @Test
    void dropoutThatTakesNoTimeSaysSo() throws Exception {
        String without = SCENARIO.replace("KIND", "fsdp").replace("micro_batch: 1", "micro_batch: 1, dropout: false");
        assertThat(run(without).facts().notes())
                .contains("dropout false changes mask memory but not time: the kernels of fsdp run with dropout");
        assertThat(run(without).step().stepSeconds())
                .as("it is true")
                .isEqualTo(run(SCENARIO.replace("KIND", "fsdp")).step().stepSeconds());
        assertThat(notes("fsdp")).noneMatch(note -> note.startsWith("dropout"));
    }

    /** Pairs: a setting that the run below must not mention, and one that it must report as without effect. */
    @Test
    @Tag("slow")
    void aSettingThatChangesNothingIsNamed() throws Exception {
        assertThat(notes("zero3, host_update_time: 600 ps, run_ahead_layers: 3"))
                .contains("host_update_time has no effect here: 600 ps and 550 ps give the same step")
                .noneMatch(note -> note.startsWith("run_ahead_layers"));
        assertThat(notes("mics, hierarchical_all_gather: false, coalesced_gathers: false"))
                .contains("hierarchical_all_gather has no effect here: false and true give the same step")
                .noneMatch(note -> note.startsWith("coalesced_gathers"));
        assertThat(notes("fsdp2, reshard_after_forward: false, backward_prefetch: false"))
                .contains("backward_prefetch has no effect here: false and true give the same step")
                .noneMatch(note -> note.startsWith("reshard_after_forward"));
        assertThat(notes("fsdp2, backward_prefetch: false")).noneMatch(note -> note.startsWith("backward_prefetch"));
        assertThat(notes("zero2, offload_optimizer: true, host_update_time: 600 ps"))
                .noneMatch(note -> note.contains("no effect"));
    }

    /** The remark is true: the runs are equal. */
    @Test
    @Tag("slow")
    void whatIsSaidToChangeNothingChangesNothing() throws Exception {
        for (String pair : List.of(
                "zero3, overlap_comm: false",
                "mics, hierarchical_all_gather: false",
                "zero3, host_update_time: 600 ps")) {
            RunResult with = run(SCENARIO.replace("KIND", pair));
            RunResult without = run(SCENARIO.replace("KIND", pair.substring(0, pair.indexOf(','))));
            assertThat(with.facts().notes()).anyMatch(note -> note.contains("has no effect here"));
            assertThat(with.digest()).as(pair).isEqualTo(without.digest());
        }
    }

    @Test
    void kernelsOfTheTrainingReplaceThoseOfTheStrategy() throws Exception {
        String both = SCENARIO.replace("KIND", "fsdp, framework_profile: composer")
                .replace("micro_batch: 1", "micro_batch: 1, kernels: fused");
        assertThat(run(both).facts().notes())
                .contains("framework_profile has no effect here: composer and fsdp give the same step");
        assertThat(notes("fsdp, framework_profile: composer")).noneMatch(note -> note.startsWith("framework_profile"));
    }

    @Test
    void settingsThatTheStrategyKnowsHaveAReason() throws Exception {
        String many = SCENARIO.replace("KIND", "fsdp, no_sync: true");
        assertThat(run(many).facts().notes()).noneMatch(note -> note.contains("no effect"));
        assertThat(run(many.replace("micro_batch: 1", "micro_batch: 2")).facts().notes())
                .contains("no_sync has no effect with one micro-batch per step");
        assertThat(run(many.replace("no_sync", "reentrant_checkpoints").replace("full", "none"))
                        .facts()
                        .notes())
                .contains("reentrant_checkpoints has no effect without full checkpoints");
    }

    @Test
    void whatShardingDoesNotSplitIsSaid() throws Exception {
        String long128k = SCENARIO.replace("KIND", "mics")
                .replace("gpt2-1.5b", "llama2-70b")
                .replace("sequence_length: 512", "sequence_length: 131072");
        assertThat(run(long128k).fits()).isFalse();
        assertThat(run(long128k).facts().notes()).anyMatch(note -> note.contains("Sharding does not split them"));
    }
}
