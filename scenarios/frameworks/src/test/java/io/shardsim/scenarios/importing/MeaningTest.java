package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a key of a public file means once it is changed. */
class MeaningTest {
    private static final Path FILES = Path.of("frameworks/src/test/resources/corpus/public");

    private static String changed(String file, String... pairs) throws IOException {
        String text = Files.readString(FILES.resolve(file));
        for (int i = 0; i < pairs.length; i += 2) {
            assertThat(text).contains(pairs[i]);
            text = text.replace(pairs[i], pairs[i + 1]);
        }
        return text;
    }

    private static Imported imported(String file, String... pairs) throws IOException, InputException {
        return ScenarioImport.readText(file, changed(file, pairs), Choices.NONE);
    }

    private static KeyVerdict verdict(Imported imported, String key) {
        return imported.keys().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nanotronTrainsInThePrecisionOfItsWeights() throws IOException, InputException {
        assertThat(imported("nanotron-tiny-llama.yaml", "dtype: bfloat16", "dtype: float32")
                        .text())
                .contains("precision: fp32", "attention: standard");
        assertThat(imported("nanotron-tiny-llama.yaml").text()).contains("precision: bf16", "attention: flash");
    }

    @Test
    void nanotronShardsStatesWithContextParallelismWhichIsSaid() throws IOException, InputException {
        Imported imported = imported(
                "nanotron-tiny-llama.yaml",
                "  expert_parallel_size: 1",
                "  context_parallel_size: 2",
                "dp: 4",
                "dp: 2");
        assertThat(imported.text()).contains("kind: megatron-core").doesNotContain("--use-distributed-optimizer");
        assertThat(verdict(imported, "optimizer.zero_stage").verdict()).isEqualTo(Verdict.APPROXIMATED);
        assertThat(verdict(imported("nanotron-tiny-llama.yaml"), "optimizer.zero_stage")
                        .verdict())
                .isEqualTo(Verdict.MODELLED);
    }

    @Test
    void neoxAttendsWithoutAFusedKernelUnlessToldTo() throws IOException, InputException {
        assertThat(imported("neox-20b.yml").text()).contains("attention: standard");
        assertThat(imported(
                                "neox-20b.yml",
                                "\"vocab_file\":",
                                "\"attention-config\": [[[\"flash\"], 44]], \"vocab_file\":")
                        .text())
                .contains("attention: flash");
    }

    @Test
    void groupsOfQueriesOfNemoCount() throws IOException, InputException {
        Imported imported = imported("nemo-llama2-70b.yaml");
        assertThat(imported.text()).contains("kv_heads: 8");
        assertThat(verdict(imported, "model.num_query_groups").verdict()).isEqualTo(Verdict.MODELLED);
    }

    @Test
    void blocksOfLayersAreCheckpointedInEachPieceOfAStage() throws InputException {
        String script = "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 64 --num-attention-heads 8"
                + " --micro-batch-size 1 --global-batch-size 64 --seq-length 8 --bf16 --vocab-size 32000"
                + " --pipeline-model-parallel-size 2 --recompute-granularity full --recompute-method block"
                + " --recompute-num-layers 2";
        assertThat(ScenarioImport.readText("x.sh", script, Choices.NONE).text()).contains("checkpointed_layers: 4");
        String pieces = script + " --num-layers-per-virtual-pipeline-stage 4";
        assertThat(ScenarioImport.readText("x.sh", pieces, Choices.NONE).text()).contains("checkpointed_layers: 16");
    }

    private static final String GPT =
            "#!/bin/bash\npython pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 8"
                    + " --micro-batch-size 1 --global-batch-size 4 --seq-length 8 --bf16 ";

    private static Imported script(String text) throws InputException {
        return ScenarioImport.readText("x.sh", text, Choices.NONE);
    }

    /** Megatron-LM of 2021 checkpoints where a method is named, later releases where a granularity is. */
    @Test
    void aMethodOfCheckpointingAsksForItInOldReleases() throws InputException {
        String method = GPT + "--vocab-size 32000 --activations-checkpoint-method ";
        assertThat(script(method + "uniform").text()).contains("activation_checkpointing: full");
        assertThat(script(method + "block --activations-checkpoint-num-layers 3")
                        .text())
                .contains("activation_checkpointing: full", "checkpointed_layers: 3");
        Imported later = script(GPT + "--vocab-size 32000 --recompute-method uniform");
        assertThat(later.text()).contains("activation_checkpointing: none");
        assertThat(verdict(later, "recompute-method").verdict()).isEqualTo(Verdict.IRRELEVANT);
    }

    @Test
    void aTokenizersFileOfAnotherNameMayHoldAnotherVocabulary() throws InputException {
        String tokenizer = GPT + "--tokenizer-type GPT2BPETokenizer --vocab-file ";
        assertThat(script(tokenizer + "gpt2-vocab.json").assumptions())
                .extracting(Imported.Assumption::key)
                .doesNotContain("model.vocab");
        assertThat(script(tokenizer + "nordic_131072/vocab.json").assumptions())
                .extracting(Imported.Assumption::key)
                .contains("model.vocab");
    }

    @Test
    void aScriptThatIsStartedAloneHasTheProcessesOfTheEnvironment() throws InputException {
        String set = GPT.replace("python", "WORLD_SIZE=1\npython") + "--vocab-size 32000";
        assertThat(script(set).text()).contains("gpus_per_node: 1");
        assertThat(script(set.replace("python ", "torchrun --nproc-per-node 4 "))
                        .text())
                .contains("gpus_per_node: 4");
    }

    @Test
    void theDropoutOfAFrameworkIsNotThatOfAnotherFilesModel() throws InputException {
        String olmo = "fsdp: {wrapping_strategy: by_block}\nprecision: amp_bf16\nmax_grad_norm: 1.0\n";
        String model = "model: {d_model: 64, n_heads: 4, n_layers: 2, vocab_size: 128, rope: true}\n";
        String llama = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128,"
                + " \"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"vocab_size\": 128}";
        assertThat(ScenarioImport.readText("o.yaml", olmo + model, Choices.NONE).text())
                .contains("dropout: true");
        Map<String, String> both = new LinkedHashMap<>();
        both.put("o.yaml", olmo);
        both.put("config.json", llama);
        assertThat(ScenarioImport.readTexts(both, Choices.NONE).text()).doesNotContain("dropout: true");
    }

    @Test
    void attentionSinksHaveNoFusedKernelInPyTorch() throws IOException, InputException {
        String file = "hyperpod-gptoss-lora.yaml";
        assertThat(imported(file).text()).contains("attention: standard");
        assertThat(verdict(imported(file), "model.use_flash_attention").verdict())
                .isEqualTo(Verdict.MODELLED);
        assertThat(verdict(imported(file), "model.use_sliding_window").verdict())
                .isEqualTo(Verdict.MODELLED);
        assertThat(imported(file, "use_flash_attention: False", "use_flash_attention: True")
                        .text())
                .contains("attention: flash");
    }

    @Test
    void aFileThatAScriptNamesIsAskedFor() throws IOException, InputException {
        String run = "CONFIG_FILE=configs/a.toml\ntorchrun --nproc_per_node=8 train.py --job.config_file $CONFIG_FILE"
                + " --training.local_batch_size 2 \"$@\"\n";
        String accepted = "job.config_file";
        Choices choices = RealConfigurationsTest.choices(Map.of("model", "llama3-8b", "accept", accepted));
        assertThatThrownBy(() -> ScenarioImport.readText(
                        "run.sh", run, RealConfigurationsTest.choices(Map.of("model", "llama3-8b"))))
                .hasMessageContaining("job.config_file configs/a.toml decides the answer: that file is not read");
        assertThat(ScenarioImport.readText("run.sh", run, choices).text()).contains("micro_batch: 2");
        Map<String, String> both = new LinkedHashMap<>();
        both.put("run.sh", run);
        both.put("b.toml", Files.readString(FILES.resolve("titan-llama3-8b.toml")));
        Imported other = ScenarioImport.readTexts(both, Choices.NONE);
        assertThat(other.text()).contains("micro_batch: 2", "sequence_length: 8192");
        assertThat(ImportReport.summary(other))
                .anyMatch(line -> line.endsWith("overridden by b.toml, a file with another name"));
        assertThatThrownBy(() -> ScenarioImport.readText(
                        "run.sh",
                        run.replace("--job.config_file $CONFIG_FILE", "--module llama3 --config llama3_8b"),
                        RealConfigurationsTest.choices(Map.of("model", "llama3-8b"))))
                .hasMessageContaining("a Python configuration");
    }

    private static void refused(String name, String text, String model, String... messages) {
        assertThatThrownBy(() -> ScenarioImport.readText(
                        name,
                        text,
                        RealConfigurationsTest.choices(model.isEmpty() ? Map.of() : Map.of("model", model))))
                .isInstanceOf(InputException.class)
                .hasMessageContainingAll(messages);
    }

    @Test
    void launchersAreCalledWhatTheyAre() {
        refused("x.sh", "python main.py recipes=a/b recipes.trainer.num_nodes=6\n", "", "starts a HyperPod recipe");
        refused(
                "x.yaml",
                "name: a\nimage: b\ncompute: {gpus: 8, gpu_type: h100}\nintegrations: []\ncommand: |-\n"
                        + "  train.py --global_train_batch_size=8 --device_train_microbatch_size=2\n",
                "",
                "is a MosaicML job",
                "its command as a shell script");
        refused(
                "x.sh",
                "torchrun scripts/train.py configs/a.yaml --device_train_microbatch_size=24 --run_name=b\n",
                "llama2-7b",
                "has no fsdp.wrapping_strategy");
    }

    @Test
    void whatWorksOnImagesIsRefusedWhateverModelIsNamed() {
        refused(
                "x.toml",
                "[model]\nname = \"flux\"\nflavor = \"flux-dev\"\n",
                "llama3-8b",
                "model.name flux is not modelled");
        refused("x.toml", "[model]\nname = \"own\"\nflavor = \"1B\"\n", "", "model.name own is not in the catalog");
        refused(
                "x.yaml",
                "trainer: {devices: 8, max_epochs: 1}\nmodel: {class_path: terratorch.tasks.Segmentation}\n",
                "llama3-8b",
                "model.class_path terratorch.tasks.Segmentation is not modelled");
        refused(
                "x.yaml",
                "model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct\nper_device_train_batch_size: 1\noutput_dir: a\n",
                "",
                "is not modelled: it works on images or sound");
    }

    @Test
    void axolotlsQuantizedScalesAndLlamaFactorysFlashAttentionAreModelled() throws InputException {
        Imported axolotl = ScenarioImport.readText(
                "x.yml",
                "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nlora_target_linear: true\n"
                        + "bnb_4bit_use_double_quant: true\nbnb_4bit_quant_type: nf4\nmicro_batch_size: 1\nsequence_len: 4096\n",
                Choices.NONE);
        assertThat(axolotl.text()).contains("frozen_bits: 4");
        assertThat(verdict(axolotl, "bnb_4bit_use_double_quant").verdict()).isEqualTo(Verdict.MODELLED);
        Imported factory = ScenarioImport.readText(
                "x.yaml",
                "model_name_or_path: mistralai/Mixtral-8x7B-Instruct-v0.1\nfinetuning_type: full\nflash_attn: fa2\ncutoff_len: 64\n"
                        + "stage: sft\nbf16: true\n",
                Choices.NONE);
        assertThat(factory.text()).contains("model: mixtral-8x7b", "attention: flash");
        assertThat(verdict(factory, "flash_attn").verdict()).isEqualTo(Verdict.MODELLED);
    }

    @Test
    void torchtitanEmptiesItsPipelineInEachAccumulationStep() throws InputException {
        String titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 4\n"
                + "global_batch_size = 64\n[parallelism]\ndata_parallel_shard_degree = 2\npipeline_parallel_degree = ";
        String key = "training.global_batch_size";
        KeyVerdict twice = verdict(ScenarioImport.readText("t.toml", titan + "4\n", Choices.NONE), key);
        assertThat(twice.verdict()).isEqualTo(Verdict.APPROXIMATED);
        assertThat(twice.note()).contains("in each of 8 accumulation steps");
        String once = titan.replace("= 64", "= 8") + "4\n";
        assertThat(verdict(ScenarioImport.readText("t.toml", once, Choices.NONE), key)
                        .verdict())
                .isEqualTo(Verdict.MODELLED);
        assertThat(verdict(ScenarioImport.readText("t.toml", titan + "1\n", Choices.NONE), key)
                        .verdict())
                .isEqualTo(Verdict.MODELLED);
    }
}
