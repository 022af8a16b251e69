package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a key of a public file means once it is changed. */
class MeaningTest {
    private static final Path FILES = Path.of("src/test/resources/importing/public");

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
