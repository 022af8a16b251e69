package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users are told about files that cannot be imported, and about keys that nobody knows. */
class ImportErrorsTest {
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    @TempDir
    private Path folder;

    private static void refused(String name, String text, String... messages) {
        assertThatThrownBy(() -> ScenarioImport.readText(name, text, Choices.NONE))
                .isInstanceOf(InputException.class)
                .hasMessageContainingAll(messages);
    }

    @Test
    void allProblemsAreToldAtOnceEachWithItsPlace() {
        refused(
                "ds.json",
                "{\"zero_optimization\": {\"stage\": 3, \"stage\": 2},\n \"bf16\": {\"enabled\": \"maybe\"},\n \"train_batch_size\": -5,\n \"fp16\": true}",
                "ds.json:1:36: key stage is given twice, first in line 1; keep one",
                "ds.json:2:22: bf16.enabled maybe is a string; write true or false",
                "ds.json:3:22: train_batch_size -5 < 1",
                "ds.json:4:10: fp16 is a flag; write a block with enabled");
    }

    @Test
    void whatAFileSaysNeverBreaksALine() {
        assertThatThrownBy(() -> ScenarioImport.readText(
                        "x.json", "{\"output_dir\": 1, \"fsdp\": [\"full_shard\", \"a\\nb\"]}", Choices.NONE))
                .hasMessageContaining("fsdp word a?b is not one of full_shard");
    }

    /** A parser that keeps 1,024 letters at a time must not look for the other half beyond them. */
    @Test
    void halfOfACharacterIsReadAsNone() {
        for (int letters = 1000; letters < 1050; letters++) {
            refused("x.yaml", "# " + "x".repeat(letters) + "\ud83d", "is empty");
        }
        refused("x.json", "{\"output_dir\": 1, \"fsdp\": \"" + "\ud83d\ude00".repeat(200) + "\"}", " is not one of");
    }

    /** A reader that looks further for each letter would take minutes. */
    @Test
    @Tag("slow")
    void manyOfAnyLetterAreReadInATimeThatGrowsWithTheirNumber() {
        long startNanos = CPU.getCurrentThreadCpuTime();
        for (String name : List.of("x", "x.json", "x.py", "x.yaml", "x.sh")) {
            for (String begin : List.of("", "{", "a = ", "torchrun p.py --")) {
                for (String letter : " \t\n\r#\"'\\{}[]()$`=:-a0,.<>&|;%!*?~\u00e9\ufeff\u2028".split("")) {
                    String text = begin + letter.repeat((1 << 20) / 8);
                    assertThat(catchThrowable(() -> ScenarioImport.readText(name, text, Choices.NONE)))
                            .as("%s of %s%s...", name, begin, letter)
                            .isInstanceOf(InputException.class);
                    assertThat(CPU.getCurrentThreadCpuTime() - startNanos)
                            .as("%s of %s%s...", name, begin, letter)
                            .isLessThan(TimeUnit.SECONDS.toNanos(60));
                }
            }
        }
    }

    @Test
    void depthAndSizeAreBounded() {
        refused("x.json", "{\"a\":".repeat(5000) + "1", "nested deeper than 32 levels");
        refused("x.json", "[" + "1,".repeat(200_000) + "1]", "holds more than 100000 values");
        refused(
                "x.sh",
                "A=xxxxxxxxxxxxxxxx\n" + "A=$A$A\n".repeat(40)
                        + "torchrun p.py --num-layers $A --hidden-size 8 --micro-batch-size 1\n",
                "variables expand to more than 1048576 characters");
    }

    @Test
    void nothingIsExecuted() {
        Path mark = folder.resolve("executed");
        refused(
                "x.sh",
                "X=$(touch " + mark + ")\ntorchrun p.py --num-layers `touch " + mark
                        + "` --hidden-size 8 --num-attention-heads 2 --micro-batch-size 1\n",
                "x.sh:2:28: num-layers",
                "nothing is executed; write the value itself");
        refused("x.py", "distribution = __import__('os').system('touch " + mark + "')", "x.py:1:32: found .");
        assertThat(mark).doesNotExist();
    }

    @Test
    void aKindThatIsNotKnownListsThoseThatAre() {
        refused(
                "x.json",
                "{\"colour\": \"red\"}",
                "x.json:1:1: is of an unknown kind; known: SageMaker distribution, DeepSpeed");
        refused("x.json", "", "x.json:1:1: is empty");
        refused("x.json", "42", "is a number; is of an unknown kind");
        refused(
                "x.yaml",
                "scenario: a\ncluster: {instance: p4d.24xlarge, nodes: 1}\n",
                "is a scenario already; run it");
    }

    @Test
    void unknownKeysKeepAVerdictAndGetTheNearestKnownOne() throws InputException {
        Imported imported = ScenarioImport.readText(
                "ds.json",
                "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1, \"reduce_bucket_sise\": 5}, \"nonsense\": [1]}",
                Choices.NONE);
        assertThat(imported.keys())
                .anySatisfy(key -> {
                    assertThat(key.key()).isEqualTo("zero_optimization.reduce_bucket_sise");
                    assertThat(key.verdict()).isEqualTo(Verdict.NOT_MODELLED);
                    assertThat(key.note()).isEqualTo("unknown key; did you mean reduce_bucket_size?");
                })
                .anySatisfy(key -> {
                    assertThat(key.key()).isEqualTo("nonsense");
                    assertThat(key.note()).startsWith("unknown key; ");
                });
    }

    @Test
    void onlyOneProfileIsWrittenAndWhatItReplacesIsNotModelled() throws InputException {
        Imported imported = ScenarioImport.readText(
                "args.json",
                "{\"output_dir\": \"o\", \"use_liger_kernel\": true, \"torch_compile\": true, \"bf16\": true}",
                Choices.NONE);
        assertThat(imported.text()).contains("  kernels: compiled\n").doesNotContain("framework_profile:");
        assertThat(imported.keys())
                .anySatisfy(key -> {
                    assertThat(key.key()).isEqualTo("use_liger_kernel");
                    assertThat(key.verdict()).isEqualTo(Verdict.NOT_MODELLED);
                    assertThat(key.note())
                            .isEqualTo(
                                    "beside args.json torch_compile, all kernels are those of training.kernels compiled; alone it is strategy.framework_profile liger");
                })
                .anySatisfy(key -> {
                    assertThat(key.key()).isEqualTo("torch_compile");
                    assertThat(key.verdict()).isEqualTo(Verdict.MODELLED);
                });
    }

    @Test
    void filesThatContradictEachOtherNameBothPlaces() throws IOException {
        Path one = Files.writeString(
                folder.resolve("ds.json"),
                "{\"train_micro_batch_size_per_gpu\": 2, \"zero_optimization\": {\"stage\": 3}}");
        Path two = Files.writeString(
                folder.resolve("args.yaml"),
                "output_dir: out\nper_device_train_batch_size: 4\nbf16: true\ndeepspeed: ds.json\n");
        assertThatThrownBy(() -> ScenarioImport.read(List.of(one.toString(), two.toString()), Choices.NONE))
                .hasMessageContaining("args.yaml:2:30: per_device_train_batch_size 4 contradicts ")
                .hasMessageContaining("ds.json:1:36 train_micro_batch_size_per_gpu 2; make them agree");
    }

    @Test
    void whatAScenarioMayNotSayIsToldAtTheKeyOfTheFile() {
        refused(
                "ds.json",
                "{\"zero_optimization\": {\"stage\": 3, \"mics_shard_size\": 7},\n \"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true}}",
                "ds.json:1:55: zero_optimization.mics_shard_size: shard_group 7 does not divide world size 8");
    }

    @Test
    void batchesThatDoNotMultiplyOutAreRefusedAsDeepSpeedRefusesThem() {
        String text =
                "{\"train_batch_size\": 100, \"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 4}";
        assertThatThrownBy(() -> ScenarioImport.readText("ds.json", text, nodes(2)))
                .hasMessageContaining(
                        "ds.json:1:22: train_batch_size 100 is not micro-batch 2 x 4 accumulation steps x 16 replicas = 128");
    }

    @Test
    void theBatchSaysHowManyNodesThereAre() throws InputException {
        String text =
                "{\"train_batch_size\": 256, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2, \"bf16\": {\"enabled\": true}}";
        Imported imported = ScenarioImport.readText("ds.json", text, Choices.NONE);
        assertThat(imported.text()).contains("nodes: 4  # from global batch / (micro-batch x accumulation steps)");
    }

    @Test
    void aVariableThatConditionsSetDifferentlyIsRefusedWhereItMatters() {
        refused(
                "x.sh",
                """
                H=1
                if [ $S = 7 ]; then
                  H=4096
                elif [ $S = 13 ]; then
                  H=5120
                fi
                torchrun pretrain_gpt.py --num-layers 2 --hidden-size $H --num-attention-heads 2 --micro-batch-size 1
                """,
                "x.sh:5:5: hidden-size $H, which is set to 1, 4096, 5120 in lines 1, 3, 5; keep the one that holds");
    }

    @Test
    void pythonIsReadAsTextsAndNumbersAndNamesSetEarlier() throws InputException {
        Imported imported =
                ScenarioImport.readText("x.py", """
                import sagemaker
                smp = {'enabled': True, 'parameters': {'sharded_data_parallel_degree': 8, # all
                  "sdp_reduce_bucket_size": int(5_000_000), 'bf16': True,},}
                e = PyTorch(role=sagemaker.get_execution_role(), instance_type='ml.' 'p4d.24xlarge', instance_count=1,
                  distribution={'smdistributed': {'modelparallel': smp}, 'mpi': dict(enabled=True, processes_per_host=8)})
                e.fit('s3://bucket')
                """, new Choices(null, "gpt2-1.5b", null, null, null, List.of()));
        assertThat(imported.text()).contains("kind: mics", "reduce_bucket_size: 5000000", "instance: p4d.24xlarge");
        assertThat(imported.keys())
                .anySatisfy(key -> assertThat(key.value().toString()).contains("s3://bucket"));
    }

    @Test
    void noModelIsAssumedWhereAnUnknownKeyNamesOne() {
        refused(
                "x.sh",
                "torchrun train.py --base_model org/some-13b --per_device_train_batch_size 1 --bf16 True --output_dir o\n",
                "x.sh:1:32: base_model org/some-13b names the model with an unknown key; pass --model NAME, or "
                        + "also its config.json");
    }

    @Test
    void theHyperparametersOfAnEstimatorMayNameAModel() throws InputException {
        String text = """
                e = PyTorch(instance_type='ml.p4d.24xlarge', instance_count=1, hyperparameters={'model_name': 'org/some-13b', 'hidden_width': 8},
                  distribution={'smdistributed': {'dataparallel': {'enabled': True}}})
                """;
        refused("x.py", text, "hyperparameters.model_name org/some-13b is not in the catalog", "or --model NAME");
        Choices named = new Choices(null, "gpt2-1.5b", null, null, null, List.of());
        assertThat(ScenarioImport.readText("x.py", text, named).text()).contains("kind: smddp", "model: gpt2-1.5b");
    }

    @Test
    void aCommandThatOnlyStartsProcessesIsOfNoKind() {
        refused("x.sh", "torchrun --nnodes 2 --nproc_per_node 8 mine.py --config a.yaml\n", "without model or batch");
        refused("x.sh", "echo hello\n", "is a shell script without a training command");
    }

    @Test
    void aReplicaThatNeedsMoreGpusSaysHowManyNodes() {
        refused(
                "x.sh",
                "torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 8"
                        + " --micro-batch-size 1 --seq-length 8 --bf16 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4\n",
                "pipeline-model-parallel-size 4: one replica takes 32 GPUs, and 8 are asked for; give --nodes 4");
    }

    private static Choices nodes(long nodes) {
        return new Choices(null, null, null, nodes, null, List.of());
    }

    private static String titan(String degrees) {
        return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n" + degrees;
    }

    @Test
    void theNodesAskedForHaveToHoldTheMeshOfTheFile() throws InputException {
        String titan = titan("data_parallel_shard_degree = 8\ndata_parallel_replicate_degree = 2\n");
        assertThatThrownBy(() -> ScenarioImport.readText("t.toml", titan, nodes(4)))
                .hasMessageContaining("t.toml:5:1: data_parallel_shard_degree 8 x data_parallel_replicate_degree 2 = 16"
                        + " GPUs, and --nodes is 4 x 8 = 32; make the degrees multiply to 32, or give --nodes 2");
        assertThat(ScenarioImport.readText("t.toml", titan, nodes(2)).text()).contains("nodes: 2", "shard_group: 8");
        String half = titan("data_parallel_shard_degree = 4\n");
        assertThat(ScenarioImport.readText("t.toml", half, nodes(1)).text()).contains("gpus_per_node: 4");
        String mesh = """
                distributed_type: FSDP
                fsdp_config: {fsdp_version: 2}
                parallelism_config: {parallelism_config_dp_shard_size: 8, parallelism_config_dp_replicate_size: 2}
                """;
        assertThatThrownBy(() -> ScenarioImport.readText("a.yaml", mesh, nodes(4)))
                .hasMessageContaining("parallelism_config_dp_replicate_size 2 = 16 GPUs, and --nodes is 4 x 8 = 32");
    }

    @Test
    void shardsThatAFileLeavesOpenFollowFromTheNodes() throws InputException {
        String two = titan(
                "data_parallel_shard_degree = -1\ndata_parallel_replicate_degree = 2\ncontext_parallel_degree = 2\n");
        assertThat(ScenarioImport.readText("t.toml", two, nodes(4)).text())
                .contains("shard_group: 16  # 32 GPUs / 2 replicas");
        String three = titan("data_parallel_replicate_degree = 3\n");
        assertThatThrownBy(() -> ScenarioImport.readText("t.toml", three, nodes(4)))
                .hasMessageContaining("data_parallel_replicate_degree 3 does not divide the 32 data-parallel ranks");
    }

    @Test
    void whatIsOverriddenIsSaidAndTheRestOfTheLauncherHolds() throws InputException {
        String script = "torchrun --nproc_per_node 4 --nnodes 2 pretrain_gpt.py --num-layers 8 --hidden-size 64"
                + " --num-attention-heads 8 --micro-batch-size 1 --seq-length 8 --bf16 --vocab-size 32000\n";
        Imported imported = ScenarioImport.readText("x.sh", script, nodes(4));
        assertThat(imported.text()).contains("nodes: 4", "gpus_per_node: 4");
        assertThat(ImportReport.summary(imported)).contains("irrelevant: nnodes = 2: overridden by --nodes");
    }

    @Test
    void aScenarioMayNameAModelAsTheHubDoes() throws InputException {
        String text = """
                scenario: hub
                model: meta-llama/Llama-3.1-8B
                cluster: {instance: p5.48xlarge, nodes: 1}
                training: {sequence_length: 4096, global_batch: 64}
                strategy: {kind: fsdp2}
                """;
        Task.Training training = (Task.Training)
                ScenarioReader.readText("hub.yaml", text).points().get(0).task();
        assertThat(training.modelName()).isEqualTo("llama3-8b");
    }
}
