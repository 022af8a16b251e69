package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.RememberedRuns;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.profiling.ProfiledStep;
import io.shardsim.scenarios.scenario.SweptFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hidden fault is found by the parts of the step that are long. */
@Tag("once")
@Tag("slow")
class ProfiledFaultsTest {
    private static final RememberedRuns RUNS = new RememberedRuns();
    private static final String ZERO3 = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 5504}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 2048, global_batch: 64, micro_batch: 2, precision: bf16, attention: flash, activation_checkpointing: none}
            strategy: {kind: zero3}
            """;
    private static final String MEGATRON = ZERO3.replace(
            "kind: zero3",
            "kind: megatron-core, tensor_parallel: 2, overlap_grad_reduce: true, overlap_param_gather: true");

    private static final String NETWORK =
            ZERO3.replace("2048, global_batch: 64, micro_batch: 2", "1024, global_batch: 64, micro_batch: 1");
    private static final String FSDP2 = NETWORK.replace("kind: zero3", "kind: fsdp2");
    private static final String OFFLOADED = ZERO3.replace("kind: zero3", "kind: zero3, offload_optimizer: true");
    private static final String CHECKPOINTED =
            ZERO3.replace("activation_checkpointing: none", "activation_checkpointing: full");
    private static final String MICS =
            ZERO3.replace("kind: zero3", "kind: mics, shard_group: 16").replace("nodes: 2", "nodes: 4");
    private static final String REPLICATED =
            MEGATRON.replace("2048, global_batch: 64, micro_batch: 2", "1024, global_batch: 16, micro_batch: 1");

    /**
     * A hidden fault, with a strength that the catalog does not list if it lists several.
     *
     * @param name name of its file
     */
    private record Hidden(String name, String text, Map<String, String> settings) {}

    private static final List<Hidden> HIDDEN = List.of(
            new Hidden("slow-gpu", ZERO3, Map.of("faults.slow_gpu", "1.6")),
            new Hidden("standard-attention", ZERO3, Map.of("training.attention", "standard")),
            new Hidden("checkpointing-on", ZERO3, Map.of("training.activation_checkpointing", "full")),
            new Hidden("activation-offload-on", CHECKPOINTED, Map.of("training.activation_offload", "true")),
            new Hidden("offload-on", ZERO3, Map.of("strategy.offload_optimizer", "true")),
            new Hidden("slow-host", ZERO3, Map.of("faults.slow_host", "3")),
            new Hidden("eager-kernels", MEGATRON, Map.of("training.kernels", "eager")),
            new Hidden(
                    "no-nvlink",
                    MEGATRON,
                    Map.of("cluster.intra_node", "25 GB/s", "cluster.intra_node_effective", "19 GB/s")),
            new Hidden(
                    "no-overlap",
                    REPLICATED,
                    Map.of("strategy.overlap_grad_reduce", "false", "strategy.overlap_param_gather", "false")),
            new Hidden("no-prefetch", FSDP2, Map.of("strategy.backward_prefetch", "false")),
            new Hidden("no-gpudirect", FSDP2, Map.of("cluster.gpu_direct", "false", "cluster.pcie", "6 GB/s")),
            new Hidden("lost-nic", MICS, Map.of("faults.lost_nic", "true")),
            new Hidden("one-nic", MICS, Map.of("cluster.nics_per_node", "1")),
            new Hidden("slow-nic", MICS, Map.of("faults.slow_nic", "35 Gbit/s")),
            new Hidden("slow-pcie", OFFLOADED, Map.of("cluster.pcie", "4.5 GB/s")),
            new Hidden("spine-neighbour", MICS, Map.of("faults.spine_neighbour", "0.6")),
            new Hidden(
                    "flat-collectives",
                    MICS,
                    Map.of("strategy.hierarchical_all_gather", "false", "strategy.two_hop_gradient_sync", "false")),
            new Hidden(
                    "tcp-over-ethernet",
                    ZERO3,
                    Map.of(
                            "cluster.nics_per_node", "1",
                            "cluster.gpu_direct", "false",
                            "cluster.nic_latency", "25 us",
                            "cluster.nic", "100 Gbit/s",
                            "cluster.nic_effective", "50 Gbit/s")));

    @TempDir
    Path folder;

    /** Returns 1 if the hidden fault ranks first; 0 if it does not fit. */
    private static long place(Hidden hidden, Explanation found) {
        List<Explanation.Suspect> suspects = found.suspects();
        for (int i = 0; i < suspects.size(); i++) {
            if (suspects.get(i).fault().equals(hidden.name()) && suspects.get(i).explains()) {
                return i + 1;
            }
        }
        return 0;
    }

    @Test
    void causeIsFoundByWhatIsLong() throws Exception {
        int alone = 0;
        int profiled = 0;
        for (Hidden hidden : HIDDEN) {
            Path file = folder.resolve("rank0.json");
            RunResult run =
                    Traces.profile(subject(hidden.text()).point(hidden.settings()), 0, new RunOptions(1, true), file);
            Measured speed = new Measured(run.step().samplesPerSecond(), Measured.Unit.SAMPLES, Map.of());
            Explanation without = explain(hidden.text(), speed);
            Explanation with = explain(hidden.text(), speed, file.toString());
            System.out.printf(
                    "%-24s place by speed %d, by profile %d%n",
                    hidden.name(), place(hidden, without), place(hidden, with));
            alone += place(hidden, without) == 1 ? 1 : 0;
            profiled += place(hidden, with) == 1 ? 1 : 0;
        }
        System.out.printf("%d of %d first by speed, %d by profile%n", alone, HIDDEN.size(), profiled);
        assertThat(profiled).isGreaterThanOrEqualTo(15);
    }

    @Test
    void partThatIsNotLongRulesOut() throws Exception {
        Hidden hidden = HIDDEN.get(0);
        Path file = folder.resolve("rank0.json");
        RunResult run =
                Traces.profile(subject(hidden.text()).point(hidden.settings()), 0, new RunOptions(1, true), file);
        Explanation found = explain(
                hidden.text(),
                new Measured(run.step().samplesPerSecond(), Measured.Unit.SAMPLES, Map.of()),
                file.toString());
        assertThat(ExplanationText.write(found, 400))
                .contains("Profile: computing takes 189 ms, 120 ms in a healthy step.")
                .containsPattern(
                        "Profile: not One slow NIC or cable: a quarter: exposed reduce-scatter would be [0-9.]+ ms longer than in a healthy step, and is -[0-9.]+ ms\\.");
        assertThat(found.suspects()).extracting(Explanation.Suspect::fault).doesNotContain("slow-nic");
        assertThat(ExplanationJson.write(found)).contains("\"profile\" : [ \"computing takes");
    }

    private String profile(Hidden hidden, int rank) throws Exception {
        Path file = folder.resolve("rank" + rank + ".json");
        Traces.profile(subject(hidden.text()).point(hidden.settings()), rank, new RunOptions(1, true), file);
        return Files.writeString(
                        file,
                        Files.readString(file)
                                .replaceAll("\"name\": ?\"forward[a-z ]*\"", "\"name\":\"void flash_fwd_kernel<128>\"")
                                .replaceAll("\"name\": ?\"backward[a-z ]*\"", "\"name\":\"ampere_gemm\""))
                .toString();
    }

    @Test
    void ranksAndNamesOfKernelsRuleOut() throws Exception {
        Hidden slow = HIDDEN.get(0);
        String late = profile(slow, 0);
        String waiting = profile(slow, 1);
        Measured speed = new Measured(ProfiledStep.read(List.of(late)).seconds(), Measured.Unit.SECONDS, Map.of());
        Explanation found = explain(slow.text(), speed, late, waiting);
        assertThat(found.suspects().get(0).fault()).isEqualTo("slow-gpu");
        assertThat(ExplanationText.write(found, 400))
                .contains("Profile: of 2 ranks, rank 0 is always late.")
                .contains("not Standard attention instead of flash: attention is one kernel, flash_fwd_kernel.")
                .containsPattern("all ranks would be alike, and the others wait [0-9.]+ ms for rank 0");
        assertThat(explain(slow.text(), speed, waiting, late).suspects().get(0).fault())
                .isEqualTo("slow-gpu");
        assertThat(explain(slow.text(), speed, late).suspects())
                .extracting(Explanation.Suspect::fault)
                .contains("slow-gpu")
                .doesNotContain("standard-attention");

        Hidden attention = HIDDEN.get(1);
        assertThat(ExplanationText.write(
                        explain(attention.text(), speed, profile(attention, 0), profile(attention, 1)), 400))
                .contains("one rank would always be late, and none of 2 is");
    }

    @Test
    void speedOfAnotherRunIsRefused() throws Exception {
        String late = profile(HIDDEN.get(0), 0);
        double seconds = ProfiledStep.read(List.of(late)).seconds();
        Measured slower = new Measured(1.2 * seconds, Measured.Unit.SECONDS, Map.of());
        assertThat(ExplanationText.write(explain(ZERO3, slower, late), 400)).contains("Profile: it takes ");
        assertThatThrownBy(() -> explain(ZERO3, new Measured(2 * seconds, Measured.Unit.SECONDS, Map.of()), late))
                .hasMessageContaining("a step, and ")
                .hasMessageContaining("give a profile of the slow run, or leave out --measured");
    }

    private static Explanation explain(String text, Measured measured, String... profile) throws Exception {
        return Objects.requireNonNull(new Explainer(RUNS, 2)
                .explain(
                        subject(text),
                        Explainer.Evidence.of(List.of(measured), Set.of())
                                .with(profile.length == 0 ? null : ProfiledStep.read(List.of(profile))),
                        (share, what) -> {}));
    }

    private static Explainer.Subject subject(String text) throws Exception {
        return Explainer.Subject.of(RunName.of("small.yaml"), SweptFile.readText("small.yaml", text));
    }
}
