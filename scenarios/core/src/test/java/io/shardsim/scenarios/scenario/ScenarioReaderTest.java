package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.workload.Adapters;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioReaderTest {
    private static final String BASE = """
            scenario: base
            model: gpt2-30b
            cluster: {instance: p4d.24xlarge, nodes: 32}
            training: {sequence_length: 2048, global_batch: 1536}
            strategy: {kind: mics, shard_group: 128}
            """;

    private static Scenario read(String text) throws InputException {
        return ScenarioReader.readText("a.yaml", text);
    }

    private static Task.Training training(ScenarioPoint point) {
        return (Task.Training) point.task();
    }

    @Test
    void loraFreezesTheModel() throws InputException {
        String strategy = "lora: {r: 4, target_modules: [o_proj, down_proj]}\nstrategy: {kind: zero3}";
        Scenario scenario = read(BASE.replace("strategy: {kind: mics, shard_group: 128}", strategy)
                + "sweep: {lora.frozen_bits: [16, 4]}\n");
        ModelShape model = training(scenario.points().get(1)).model();
        assertThat(model.adapters()).isEqualTo(new Adapters(4, List.of("o_proj", "down_proj"), 4));
        assertThat(model.trainedParameters()).isEqualTo(48L * 4 * (7168 + 7168 + 4 * 7168 + 7168));
        assertThat(training(read(BASE).points().get(0)).model().adapters().isNone())
                .isTrue();
    }

    @Test
    void omittedKeysTakeTheirDocumentedValues() throws InputException {
        Scenario scenario = read(BASE);
        assertThat(scenario.name()).isEqualTo("base");
        assertThat(scenario.sweep()).isFalse();
        ScenarioPoint point = scenario.points().get(0);
        assertThat(point.values()).isEmpty();
        assertThat(point.cluster().worldSize()).isEqualTo(256);
        assertThat(point.collectives()).isEqualTo(new CollectiveSettings("nccl", "auto", null));
        assertThat(point.notes()).isEmpty();
        Task.Training task = training(point);
        assertThat(task.modelName()).isEqualTo("gpt2-30b");
        assertThat(task.microBatch()).isNull();
        assertThat(task.learning().precision()).isEqualTo(Precision.BF16);
        assertThat(task.execution().kept().checkpointing()).isEqualTo(Checkpointing.FULL);
        assertThat(task.execution().attention()).isEqualTo(AttentionKind.FLASH);
        assertThat(task.execution().kept().offload()).isFalse();
        assertThat(task.execution().kernels()).isNull();
        assertThat(task.learning().dropout()).isTrue();
        assertThat(task.learning().gradientClipping()).isEqualTo(1.0);
        assertThat(task.strategy().kind()).isEqualTo("mics");
        assertThat(task.strategy().given()).isEqualTo(Map.of("shard_group", "128"));
        assertThat(task.strategy().parameters())
                .containsEntry("shard_group", "128")
                .containsEntry("two_hop_gradient_sync", "true");
    }

    @Test
    void figuresOfTheCatalogComeWithTheirSources() throws InputException {
        assertThat(read(BASE).points().get(0).figures())
                .extracting(figure -> figure.key())
                .contains("p4d.24xlarge nic_effective", "a100-40gb memory", "gpt2-30b hidden");
    }

    @Test
    void sweepIsTheProductInTheOrderOfTheFile() throws InputException {
        Scenario scenario = read(BASE + "sweep: {cluster.nodes: [2, 4], training.global_batch: [3072, 1536]}\n");
        assertThat(scenario.sweep()).isTrue();
        assertThat(scenario.points())
                .extracting(ScenarioPoint::values)
                .containsExactly(
                        Map.of("cluster.nodes", 2L, "training.global_batch", 3072L),
                        Map.of("cluster.nodes", 2L, "training.global_batch", 1536L),
                        Map.of("cluster.nodes", 4L, "training.global_batch", 3072L),
                        Map.of("cluster.nodes", 4L, "training.global_batch", 1536L));
        assertThat(scenario.points().get(2).values().keySet())
                .containsExactly("cluster.nodes", "training.global_batch");
    }

    @Test
    void shardGroupIsCappedInASweepAndTheResultSaysSo() throws InputException {
        List<ScenarioPoint> points =
                read(BASE + "sweep: {cluster.nodes: [2, 16, 32]}\n").points();
        assertThat(points)
                .extracting(point -> training(point).strategy().given().get("shard_group"))
                .containsExactly("16", "128", "128");
        assertThat(points.get(0).notes()).containsExactly("shard_group 128 capped to world size 16");
        assertThat(points.get(1).notes()).isEmpty();
    }

    @Test
    void megatronFillsItsVocabularyUpAndSaysSo() throws InputException {
        String megatron = BASE.replace("{kind: mics, shard_group: 128}", "{kind: megatron, tensor_parallel: 8}");
        assertThat(read(megatron).points().get(0).notes())
                .containsExactly("vocabulary of 50264 padded to 51200, a multiple of 1024, as megatron does");
        assertThat(vocab(megatron)).isEqualTo(50 * 8 * 128);
        assertThat(vocab(BASE)).isEqualTo(50264);
        assertThat(vocab(megatron.replace("global_batch: 1536", "global_batch: 1536, kernels: fused")))
                .isEqualTo(50264);
    }

    private static int vocab(String text) throws InputException {
        ScenarioPoint point = read(text).points().get(0);
        Task.Training task = training(point);
        return task.job(point.cluster(), task.strategy().create()).model().vocab();
    }

    @Test
    void aNicThatAnAssumedPcieHoldsBackIsANote() throws InputException {
        String cluster = inlineCluster("a100-80gb", "400 Gbit/s");
        assertThat(read(cluster + "}\n").points().get(0).notes())
                .containsExactly("pcie is assumed to be 24 GB/s, as on ampere GPUs, which limits a NIC of 48 "
                        + "GB/s; write pcie: the rate of your link");
        assertThat(read(cluster + ", pcie: 56 GB/s}\n").points().get(0).notes()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"v100-32gb, 12", "a100-80gb, 24", "h100-80gb, 56", "b200, 56"})
    void anOmittedPcieFollowsTheGpu(String gpu, int gigabytesPerSecond) throws InputException {
        ScenarioPoint point =
                read(inlineCluster(gpu, "50 Gbit/s") + "}\n").points().get(0);
        assertThat(point.cluster().instance().pcie().linkRate().bytesPerSecond())
                .isEqualTo(gigabytesPerSecond * 1_000_000_000L);
        assertThat(point.notes()).isEmpty();
    }

    @Test
    void aNicOf400GigabitsBesideAnH100IsNotHeldBack() throws InputException {
        assertThat(read(inlineCluster("h100-80gb", "400 Gbit/s") + "}\n")
                        .points()
                        .get(0)
                        .notes())
                .isEmpty();
    }

    private static String inlineCluster(String gpu, String nic) {
        return "scenario: a\nworkload: {collective: all_gather, size: 1 GiB}\ncluster: {gpu: " + gpu
                + ", gpus_per_node: 8, intra_node: 450 GB/s, nics_per_node: 8, nic: " + nic + ", network: p5, nodes: 2";
    }

    @Test
    void aParameterOfAnotherStrategyOfTheSweepIsANote() throws InputException {
        List<ScenarioPoint> points =
                read(BASE + "sweep: {strategy.kind: [zero3, fsdp, mics]}\n").points();
        assertThat(points)
                .extracting(ScenarioPoint::notes)
                .containsExactly(
                        List.of("shard_group has no effect under zero3"),
                        List.of("shard_group has no effect under fsdp"),
                        List.of());
    }

    @Test
    void sweepMayReplaceWholeBlocksAndKeysThatTheFileLacks() throws InputException {
        String text = """
                scenario: blocks
                model: {hidden: 1024, layers: 4, heads: 16, vocab: 1000}
                training: {sequence_length: 128, global_batch: 64}
                sweep:
                  cluster: [{instance: p4d.24xlarge, nodes: 1}, {instance: p5.48xlarge, nodes: 2}]
                  strategy.kind: [fsdp]
                """;
        List<ScenarioPoint> points = read(text).points();
        assertThat(points)
                .extracting(point -> point.cluster().instance().name())
                .containsExactly("p4d.24xlarge", "p5.48xlarge");
        assertThat(points.get(1).values())
                .containsEntry("cluster", Map.of("instance", "p5.48xlarge", "nodes", 2L))
                .containsEntry("strategy.kind", "fsdp");
    }

    @Test
    void inlineModelTakesGpt2sHabitsUnlessItIsGated() throws InputException {
        String gpt = BASE.replace("gpt2-30b", "{hidden: 1024, layers: 4, heads: 16, vocab: 1000}");
        Task.Training task = training(read(gpt).points().get(0));
        assertThat(task.modelName()).isEqualTo("inline");
        assertThat(task.model().ffn()).isEqualTo(4096);
        assertThat(task.model().kvHeads()).isEqualTo(16);
        assertThat(task.model().tiedEmbeddings()).isTrue();
        assertThat(task.model().maxPositions()).isEqualTo(2048);
        String llama = BASE.replace("gpt2-30b", "{hidden: 1024, layers: 4, heads: 16, vocab: 1000, gated_ffn: true}");
        Task.Training gated = training(read(llama).points().get(0));
        assertThat(gated.model().tiedEmbeddings()).isFalse();
        assertThat(gated.model().maxPositions()).isZero();
        assertThat(gated.learning().dropout()).isFalse();
    }

    @Test
    void inlineClusterOfTheContractIsRead() throws InputException {
        String text = BASE.replace(
                "{instance: p4d.24xlarge, nodes: 32}",
                "{gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: 32}");
        InstanceSpec instance = read(text).points().get(0).cluster().instance();
        assertThat(instance.name()).isEqualTo("inline");
        assertThat(instance.gpu().name()).isEqualTo("a100-80gb");
        assertThat(instance.intraNode().perGpuRate()).isEqualTo(Bandwidth.parse("240 GB/s"));
        assertThat(instance.nic().effectiveRate()).isEqualTo(Bandwidth.parse("12 GB/s"));
        assertThat(instance.pcie().switches()).isEqualTo(4);
        assertThat(instance.price().usdPerHour()).isNaN();
    }

    /** InfiniBand is never assumed silently. */
    @Test
    void aNetworkThatIsLeftOutIsANote() throws InputException {
        String cluster = "scenario: a\nworkload: {collective: all_gather, size: 1 GiB}\n"
                + "cluster: {gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: ";
        assertThat(read(cluster + "2}\n").points().get(0).notes())
                .singleElement(InstanceOfAssertFactories.STRING)
                .startsWith("network is assumed to be infiniband, with its NCCL constants between nodes; to "
                        + "change it, write one of infiniband, p3dn,");
        assertThat(read(cluster + "1}\n").points().get(0).notes()).isEmpty();
        ScenarioPoint given = read(cluster + "2, network: p4d}\n").points().get(0);
        assertThat(given.notes()).isEmpty();
        assertThat(given.cluster().instance().network().library()).isEqualTo("p4d");
    }

    @Test
    void aGpuOfYourOwnIsRead() throws InputException {
        String text = BASE.replace("{instance: p4d.24xlarge, nodes: 32}", """

                  gpu: {architecture: hopper, memory: 90 GiB, memory_bandwidth: 4 TB/s, peak_half: 1 Pflop/s, peak_single: 60 Tflop/s, sm_count: 120, boost_clock: 1.9 GHz}
                  gpus_per_node: 4
                  intra_node: 450 GB/s
                  nics_per_node: 4
                  nic: 400 Gbit/s
                  price: 12.5 USD/h
                  nodes: 64
                """);
        InstanceSpec instance = read(text).points().get(0).cluster().instance();
        assertThat(instance.gpu().peakHalfFlopsPerSecond()).isEqualTo(1e15);
        assertThat(instance.gpu().memoryBytes()).isEqualTo(90L << 30);
        assertThat(instance.price().usdPerHour()).isEqualTo(12.5);
    }

    @Test
    void anInstanceMayBeChanged() throws InputException {
        String text = BASE.replace(
                "nodes: 32", "nodes: 32, nic: 200 Gbit/s, oversubscription: 2, gpus_per_node: 2, price: 32.7726 USD/h");
        InstanceSpec instance = read(text.replace("shard_group: 128", "shard_group: 64"))
                .points()
                .get(0)
                .cluster()
                .instance();
        assertThat(instance.nic().effectiveRate()).isEqualTo(Bandwidth.parse("23.4 GB/s"));
        assertThat(instance.fabric().oversubscription()).isEqualTo(2.0);
        assertThat(instance.pcie().switches()).isEqualTo(2);
        assertThat(instance.price().source()).isEqualTo("scenario file");
    }

    @Test
    void moneySaysWhatANodeCosts() throws InputException {
        assertThat(usd("p4d.24xlarge", "{price: 20 USD/h}")).isEqualTo(20);
        assertThat(usd("p4d.24xlarge", "{spot: 0.5}")).isEqualTo(21.957642 / 2);
        assertThat(usd("p4d.24xlarge", "{price: 20 USD/h, spot: 0.5}")).isEqualTo(10);
        assertThat(usd("a3-highgpu-8g", "{term: one_year}")).isEqualTo(61.383672);
        assertThat(usd("a3-highgpu-8g", "{term: on_demand}")).isEqualTo(88.49);
    }

    private static double usd(String instance, String money) throws InputException {
        String text = BASE.replace("p4d.24xlarge", instance) + "money: " + money + "\n";
        return read(text).points().get(0).cluster().instance().price().usdPerHour();
    }

    @Test
    void bareCollectiveOfTheContractIsRead() throws InputException {
        String text = """
                scenario: all-reduce-1gib
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 GiB}
                collectives: {library: nccl, chunk: 1 MiB}
                """;
        ScenarioPoint point = read(text).points().get(0);
        assertThat(point.task()).isEqualTo(new Task.Collective(CollectiveKind.ALL_REDUCE, 1L << 30));
        assertThat(point.collectives().chunkBytes()).isEqualTo(1L << 20);
    }

    /** SMDDP leaves collectives that it does not support to NCCL, requested by name or not. */
    @Test
    void aLibraryMayBeAskedForWhereItFallsBack() throws InputException {
        String text = """
                scenario: one-node
                cluster: {instance: p4d.24xlarge, nodes: 1}
                workload: {collective: all_reduce, size: 1 GiB}
                collectives: {library: smddp, algorithm: smddp}
                """;
        assertThat(read(text).points().get(0).collectives().algorithm()).isEqualTo("smddp");
    }

    @Test
    void largeNumbersMayBeWrittenWithExponents() throws InputException {
        Scenario scenario = read(BASE.replace("1536", "1.536e3"));
        assertThat(training(scenario.points().get(0)).globalBatch()).isEqualTo(1536);
    }

    @Test
    void anchorsAndAliasesMayRepeatABlock() throws InputException {
        String text = BASE + "sweep: {cluster: [&c {instance: p4d.24xlarge, nodes: 16}, *c]}\n";
        assertThat(read(text).points()).hasSize(2);
    }
}
