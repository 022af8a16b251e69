package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.Advice;
import io.shardsim.scenarios.evaluation.RememberedRuns;
import io.shardsim.scenarios.logs.TrainingLog;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That a doctor says what the other commands say of the same run. */
@Tag("once")
class DoctorTest {
    private static final RememberedRuns RUNS = new RememberedRuns();

    private static final String SPLIT = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 5504}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 2048, micro_batch: 1, global_batch: 64, precision: bf16}
            strategy: {kind: megatron-core, tensor_parallel: 4}
            """;
    private static final String TIGHT = """
            scenario: llama
            model: llama3-8b
            cluster: {instance: p5.48xlarge, nodes: 1}
            training: {sequence_length: 8192, micro_batch: 2, global_batch: 16, activation_checkpointing: operator, attention: flash}
            strategy: {kind: fsdp2, framework_profile: eager, reduce_in_fp32: true}
            """;

    private static Doctor.Answer examine(String text) throws Exception {
        Explainer.Subject subject =
                Explainer.Subject.of(RunName.of("small.yaml"), SweptFile.readText("small.yaml", text));
        return Objects.requireNonNull(new Doctor(RUNS, 2)
                .examine(
                        subject,
                        new Doctor.Understood(List.of("a"), List.of(), List.of(), List.of(), "small.yaml"),
                        Explainer.Evidence.of(
                                List.of(new Measured(1, Measured.Unit.OF_HEALTHY, Map.of())), Set.of(), List.of()),
                        (share, what) -> {},
                        healthy -> {}));
    }

    /** Many micro-batches made every plan too costly for trials that were bounded by what the run itself executes. */
    @Test
    @Tag("slow")
    void whatGainsMostIsWhatThePricesSay() throws Exception {
        Prices.Knob best = Objects.requireNonNull(new WhatIf(RUNS, 2)
                        .price(
                                WhatIf.subjects(RunName.of("small.yaml"), ScenarioReader.readText("small.yaml", SPLIT)),
                                (share, what) -> {}))
                .get(0)
                .knobs()
                .get(0);
        Advice first = examine(SPLIT).gains().get(0);
        assertThat(first.gain()).isGreaterThan(0.1).isEqualTo(best.gain());
        assertThat(first.trial()).isEqualTo(best.trial());
    }

    @Test
    @Tag("slow")
    void whatOnlyGivesRoomIsNoGain() throws Exception {
        Doctor.Answer answer = examine(TIGHT);
        assertThat(answer.gains())
                .singleElement()
                .satisfies(gain -> assertThat(gain.trial().settings())
                        .containsEntry("strategy.framework_profile", "fsdp-compile"));
        assertThat(answer.room()).isNotEmpty().allMatch(room -> room.gain() < Advice.GAIN_MIN && room.makesRoom());
        assertThat(DoctorText.write(answer, 1000))
                .containsSubsequence("Best settings", "torch.compile: ", "Memory is tight. These free memory", " (-")
                .doesNotContain("Not tried");
        Doctor.Answer ended = new Doctor.Answer(
                answer.understood(),
                answer.run(),
                answer.explanation(),
                List.of(),
                List.of(),
                List.of("a", "b"),
                false);
        assertThat(DoctorText.write(ended, 1000))
                .contains("Not tried, too costly: 2 settings, such as a. All: shardsim what-if small.yaml.");
    }

    /** An interruption leaves what is known by then; a budget leaves the common faults, and a log's own before all. */
    @Test
    @Tag("slow")
    void whatIsKnownIsToldWhereItIsInterrupted() throws Exception {
        Doctor doctor = new Doctor(RUNS, 2);
        Explainer.Subject subject =
                Explainer.Subject.of(RunName.of("small.yaml"), SweptFile.readText("small.yaml", SPLIT));
        Doctor.Answer answer = Objects.requireNonNull(doctor.examine(
                subject,
                new Doctor.Understood(List.of("a"), List.of(), List.of(), List.of(), "small.yaml"),
                Explainer.Evidence.of(
                        List.of(new Measured(0.3, Measured.Unit.OF_HEALTHY, Map.of())), Set.of(), List.of()),
                (share, what) -> {
                    if (!what.contains("of 1 point")) {
                        doctor.interrupt();
                    }
                },
                healthy -> {}));
        assertThat(answer.interrupted()).isTrue();
        assertThat(DoctorText.write(answer, 1000))
                .contains("Healthy: ", "Not simulated: ", "Interrupted: not all faults and settings were simulated.")
                .doesNotContain("Best settings");
    }

    @Test
    void whatALogSaysOtherwiseIsToldWithBothValues() throws Exception {
        assertThat(contradictions("global batch size:    16 |\nglobal batch size:    32 |\n"))
                .containsExactly(
                        "a.log line 2 says a global batch of 32, the scenario says 64. If the log is right, add "
                                + "--set training.global_batch=32");
        assertThat(contradictions("comm 0x5 rank 0 nranks 16 cudaDev 0\ncomm 0x6 rank 0 nranks 2 cudaDev 0\n"))
                .containsExactly(
                        "a.log line 1 says at least 16 GPUs, the scenario says 8. If the log is right, add --set "
                                + "cluster.nodes=2");
        assertThat(contradictions("NCCL INFO Channel 00/0 : 25[1] -> 0[0] [receive] via NET/Socket/0\n"))
                .containsExactly(
                        "a.log line 1 says at least 26 GPUs, the scenario says 8. If the log is right, add --set "
                                + "cluster.nodes=4");
        assertThat(contradictions("NCCL INFO Channel 00/0 : 7[7] -> 0[0] [send] via NET/Socket/0\n"))
                .containsExactly(
                        "a.log line 1 says at least 2 nodes, the scenario says 1. If the log is right, add --set "
                                + "cluster.nodes=2");
        assertThat(contradictions(
                        "global batch size: 64\nnranks 8\nUsing network Socket\n : 7[7] -> 0[0] via P2P/IPC\n"))
                .isEmpty();
    }

    private static List<String> contradictions(String log) throws Exception {
        return Doctor.contradictions(
                SweptFile.readText("small.yaml", SPLIT).point(0, Map.of()),
                List.of(TrainingLog.read("a.log", new StringReader(log))));
    }
}
