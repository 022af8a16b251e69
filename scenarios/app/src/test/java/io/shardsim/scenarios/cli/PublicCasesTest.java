package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.catalog.Architecture;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.job.Precision;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions that people asked in public threads, in small: the right answer, or a refusal by its right name with the way out. */
class PublicCasesTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000}
            cluster: CLUSTER
            training: {sequence_length: 512, global_batch: 32, micro_batch: 2MORE}
            strategy: STRATEGY
            """;

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private static String small(String cluster, String more, String strategy) {
        return SMALL.replace("CLUSTER", cluster).replace("MORE", more).replace("STRATEGY", strategy);
    }

    private int run(String text, String... more) throws Exception {
        String[] arguments = new String[more.length + 3];
        arguments[0] = "run";
        arguments[1] = Shell.file(folder, text);
        arguments[2] = "--out=" + folder.resolve("report");
        System.arraycopy(more, 0, arguments, 3, more.length);
        return shell.shardsim(arguments);
    }

    /** Asks for what a GPU has not: V100 has neither BF16 nor FlashAttention, A100 no FP8. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "p3dn.24xlarge | precision: bf16 | precision bf16 does not run on v100-32gb: Volta has FP16 "
                        + "tensor cores only;  write precision: fp16",
                "p3dn.24xlarge | precision: bf16_pure | precision bf16_pure does not run on v100-32gb",
                "p3dn.24xlarge | attention: flash | attention flash does not run on v100-32gb: FlashAttention 2 needs Ampere or later, and v100-32gb is Volta; write attention: standard",
                "p3dn.24xlarge | 'attention: flash, kernels: scaling-flash-1' | FlashAttention 1 needs Turing or later",
                "p4d.24xlarge | 'precision: fp8, kernels: torchtitan-compile' | FP8 tensor cores, which a100-40gb does not have",
            })
    void whatAGpuCannotRunIsRefused(String instance, String setting, String refusal) throws Exception {
        assertThat(run(small("{instance: " + instance + ", nodes: 1}", ", " + setting, "{kind: fsdp2}")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains(refusal);
    }

    @Test
    void aDefaultThatTheGpuCannotRunIsReplacedAndListed() throws Exception {
        assertThat(run(
                        small("{instance: p3dn.24xlarge, nodes: 1}", "", "{kind: fsdp}"),
                        "--set",
                        "framework=pytorch 2.1"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out().replaceAll("\\s+", " "))
                .contains(", fp16, standard attention, ")
                .contains("Assumed: fp16 (Volta has no BF16); standard attention (Volta has no FlashAttention)");
    }

    @Test
    void theTableOfCapabilitiesHoldsWhatKernelTimesHold() {
        for (String architecture : Catalog.ARCHITECTURES) {
            assertThat(Architecture.FILES
                            .named(architecture)
                            .<String>list("precisions")
                            .contains(Precision.FP8.id()))
                    .as(architecture)
                    .isEqualTo(GpuCalibration.named(architecture).multipliesEightBits());
        }
    }

    /** Pipeline stages of FSDP are refused, and nothing that would follow without them. */
    @Test
    void nothingThatFollowsFromARefusedKeyIsReported() throws Exception {
        assertThat(run(small("{instance: p5.48xlarge, nodes: 2}", "", "{kind: fsdp, pipeline_parallel: 4}")
                        .replace("micro_batch: 2", "micro_batch: 4")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines())
                .singleElement()
                .asString()
                .contains("pipeline_parallel does not apply to fsdp: FSDP with pipeline parallelism")
                .contains("nearest: kind: fsdp2 with pipeline_parallel");
        assertThat(run(small("{instance: p5.48xlarge, nodes: 2}", "", "{kind: zero3, no_such_key: 4}")
                        .replace("global_batch: 32", "global_batch: 33")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).doesNotContain("is not a multiple");
    }

    /** A GPU by its name alone; keys that have no effect on it change nothing. */
    @Test
    @Tag("slow")
    void oneGpuNeedsNoServerAndNoNetwork() throws Exception {
        String tiny = small("CLUSTER", "", "{kind: fsdp2}");
        assertThat(run(tiny.replace("CLUSTER", "{gpu: v100-32gb}"), "--no-trials"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("1 GPU of an inline", "v100-32gb");
        List<String> times = new ArrayList<>();
        for (String more :
                List.of("", ", gpus_per_node: 1, intra_node: 1 GB/s, nodes: 1", ", nic: 1 Gbit/s, nodes: 1")) {
            int before = shell.out().length();
            assertThat(run(tiny.replace("CLUSTER", "{gpu: v100-32gb" + more + "}"), "--json"))
                    .isEqualTo(ExitStatus.DONE);
            times.add(shell.out().substring(before).replaceAll("(?s).*?\"step_seconds\" : ([0-9.]+).*", "$1"));
        }
        assertThat(times.get(0)).matches("[0-9.]+");
        assertThat(times).containsOnly(times.get(0));
    }

    /** Links of several GPUs are those of the usual server, where that is known; NICs are asked for. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{gpu: h100, gpus_per_node: 8, nodes: 2} | cluster has no nic and no instance; write instance: dgx-h100 instead of gpu, or nic: a rate",
                "{gpu: h100, nic: 1 Gbit/s} | cluster has no nodes; add nodes: a whole number from 1",
                "{gpu: FIGURES, gpus_per_node: 2} | cluster has no intra_node and no instance",
            })
    void severalGpusNeedWhatJoinsThem(String cluster, String refusal) throws Exception {
        String figures =
                "{architecture: ada, memory: 24 GiB, memory_bandwidth: 1 TB/s, peak_half: 165 Tflop/s, peak_single: 82 Tflop/s, sm_count: 128, boost_clock: 2520 MHz}";
        assertThat(run(small(cluster.replace("FIGURES", figures), "", "{kind: fsdp2}")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains(refusal);
        assertThat(run(small("{gpu: h100, gpus_per_node: 8}", "", "{kind: fsdp2}")))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("Assumed: links of 387 GB/s between GPUs, as in dgx-h100");
    }

    /** Names of other hardware lead to what they are. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{instance: g5.24xlarge, nodes: 1} | another size of g5.12xlarge and g5.48xlarge (A10G); write cluster: {instance: g5.48xlarge",
                "{instance: p3.8xlarge, nodes: 1} | another size of p3.16xlarge (V100 16 GB)",
                "{instance: trn2.48xlarge, nodes: 1} | instance trn2.48xlarge is not modelled: not NVIDIA GPUs, "
                        + "out of scope",
                "{instance: p7.48xlarge, nodes: 1} | instance p7.48xlarge is not in the catalog; shardsim catalog instances lists ",
                "{instance: p5.48xlrge, nodes: 1} | did you mean p5.48xlarge?",
                "{gpu: MI300X, NODE} | gpu MI300X is not modelled: an AMD GPU with RCCL, out of scope",
                "{gpu: trainium2, NODE} | not an NVIDIA GPU, out of scope; no GPU in the catalog is close",
                "{gpu: NVIDIA H100 PCIe, NODE} | an H100 with 114 SMs and HBM2e on PCIe",
                "{gpu: A100, NODE} | gpu A100 is not in the catalog; did you mean a100-40gb or a100-80gb?",
                "{gpu: NVIDIA L40, NODE} | an L40S with half its tensor-core rate",
                "{gpu: tpu-v5p, NODE} | a Google TPU on an optical torus",
                "{gpu: h300, NODE} | gpu h300 is not in the catalog; shardsim catalog gpus lists ",
                "{gpu: {architecture: pascal, memory: 24 GiB}, NODE} | architecture pascal is not modelled: no tensor cores",
            })
    void otherHardwareIsNamed(String cluster, String refusal) throws Exception {
        String node = "gpus_per_node: 8, intra_node: 200 GB/s, nics_per_node: 1, nic: 100 Gbit/s, nodes: 1";
        assertThat(run(small(cluster.replace("NODE", node), "", "{kind: fsdp2}")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains(refusal);
    }

    /** States in host memory need room there, as they do on a GPU. */
    @Test
    @Tag("slow")
    void offloadThatTheHostHasNoRoomForDoesNotFit() throws Exception {
        String model = "{hidden: 8192, layers: 80, heads: 64, vocab: 32000}";
        String offload = small(
                        "{gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 1, nic: 100 Gbit/s,"
                                + " nodes: 1, host_memory: 256 GiB}",
                        "",
                        "{kind: zero3, offload_optimizer: true, offload_parameters: true}")
                .replace("{hidden: 1024, layers: 4, heads: 16, vocab: 32000}", model);
        assertThat(run(offload)).isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out().replaceAll("\\s+", " "))
                .containsPattern(
                        "Does not fit: 1,0\\d\\d of 256 GiB of host memory per node, \\d+ GiB too much. Offloading fills it.")
                .contains("Fits with: nodes 8, ");
        String few = offload.replace("layers: 80", "layers: 8");
        assertThat(run(few.replace("256 GiB", "2 TiB"), "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"host_capacity_bytes\" : 2199023255552");
        assertThat(run(few.replace("offload_optimizer: true, offload_parameters: true", "offload_optimizer: false")
                        .replace("hidden: 8192", "hidden: 1024")
                        .replace("nodes: 1, host_memory: 256 GiB", "nodes: 1, host_memory: 1 GiB")))
                .isEqualTo(ExitStatus.DONE);
    }

    /** An assumption or a warning fails a guarded configuration; where all is given, none does. */
    @Test
    @Tag("slow")
    void strictNamesWhatIsAssumed() throws Exception {
        String open = small("{instance: p4d.24xlarge, nodes: 1}", "", "{kind: fsdp2}");
        assertThat(run(open)).isEqualTo(ExitStatus.DONE);
        assertThat(run(open, "--strict")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("strict: assumed flash attention", "strict: assumed fsdp kernels");
        String given = small(
                "{instance: p4d.24xlarge, nodes: 1}",
                ", attention: flash, kernels: fsdp, precision: bf16, activation_checkpointing: full",
                "{kind: fsdp2}");
        int before = shell.err().length();
        assertThat(run(given, "--strict", "--quiet")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.err().substring(before)).doesNotContain("strict: ");
    }

    /** What a message says to write can be written. */
    @ParameterizedTest
    @ValueSource(strings = {"gpus", "instances", "architectures", "strategies"})
    void everyWayOutIsOne(String list) throws Exception {
        Pattern written = Pattern.compile("write (?:cluster: (\\{.*\\})|gpu: (\\{.*?\\}|[\\w-]+) with (.*))");
        int ways = 0;
        for (String way : Unmodelled.ways(list)) {
            Matcher matcher = written.matcher(way);
            if (matcher.find()) {
                ways++;
                String cluster = matcher.group(1) != null
                        ? matcher.group(1)
                        : "{gpu: " + matcher.group(2)
                                + ", gpus_per_node: 8, nics_per_node: 1, nic: 100 Gbit/s, nodes: 1"
                                + (matcher.group(3).startsWith("pcie") ? ", intra_node: 450 GB/s, " : ", ")
                                + matcher.group(3) + "}";
                assertThat(ScenarioReader.readText("way.yaml", small(cluster, "", "{kind: fsdp2}"))
                                .points())
                        .as(way)
                        .hasSize(1);
            }
        }
        assertThat(ways).isGreaterThanOrEqualTo(list.equals("gpus") ? 6 : list.equals("instances") ? 7 : 0);
    }
}
