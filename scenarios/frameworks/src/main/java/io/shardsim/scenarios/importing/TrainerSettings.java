package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.List;
import java.util.Locale;

/** Arguments of the Hugging Face Trainer as JSON or YAML, and of scripts based on it (TRL, LLaMA-Factory). */
final class TrainerSettings implements Importer {
    /** Prefix of FSDP settings. */
    static final String FSDP = "fsdp_config.";

    @Override
    public String table() {
        return "trainer";
    }

    /** Finds a DeepSpeed configuration written inline, not as a file name. */
    @Override
    public String innerKey(Mapping root) {
        return "deepspeed";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeLauncher(file, draft);
        contributeProcesses(file, draft);
        contributePrecision(file, draft);
        contributeCheckpointing(file, draft);
        contributeStrategy(file, draft);
        OptimizerName.contribute(file, draft, "optim", null);
        HuggingFaceModel.give(file, draft, "attn_implementation");
        HuggingFaceModel.give(file, draft, "flash_attn");
        for (String key : List.of("model_name_or_path", "model_name", "model_id")) {
            contributeModel(file, draft, key);
        }
        AdapterSettings.contribute(file, draft);
    }

    /** Reads the arguments of a command's launcher. */
    private static void contributeLauncher(ForeignFile file, Draft draft) {
        MegatronArguments.contributeCluster(file, draft, '_');
        Long stage = file.whole("zero_stage", 0, 3);
        if (stage != null) {
            draft.give(Draft.KIND, MegatronArguments.STAGES.get(stage.intValue()), file.key("zero_stage"));
            String type = "bf16".equals(file.text("dtype")) ? "bf16" : "fp16";
            draft.byDefault(Draft.PRECISION, type, "DeepSpeed-Chat's --dtype");
        }
    }

    /** Reads the script that mpirun or horovodrun starts once per GPU: each process has the batch that its arguments say. */
    private static void contributeProcesses(ForeignFile file, Draft draft) {
        ForeignKey launcher = file.has("horovodrun") ? file.key("horovodrun") : file.key("mpirun");
        if (launcher == null || file.has("deepspeed") || file.has("deepspeed_config")) {
            return;
        }
        for (String key : List.of("train_batch_size", "batch_size")) {
            if (draft.giveWhole(file, key, Draft.MICRO_BATCH, 1, 65_536) != null) {
                file.judge(
                        key, Verdict.MODELLED, "training.micro_batch, since the launcher starts one process per GPU");
            }
        }
        draft.afterwards(done -> {
            if (Draft.required(done, Draft.MICRO_BATCH).rank() == Fact.Rank.DEFAULT) {
                launcher.refuse(launcher.path() + " starts a script whose batch per GPU is not given; "
                        + "add --per_device_train_batch_size N to its arguments");
            }
        });
        Long fusion = file.whole("fusion_threshold_mb", 1, 1_000_000);
        draft.give("strategy.fusion_buffer", fusion == null ? null : fusion + " MiB", file.key("fusion_threshold_mb"));
        Double cycle = file.decimal("cycle_time_ms", 0, 1e6);
        draft.give("strategy.cycle_time", cycle == null ? null : cycle + " ms", file.key("cycle_time_ms"));
        draft.giveFlag(file, "hierarchical_allreduce", "strategy.hierarchical_all_reduce");
        draft.giveFlag(file, "fp16_allreduce", "strategy.fp16_compression");
        draft.giveIf(file, "allreduce_post_accumulation", "strategy.layers_per_cycle", 1000L);
    }

    private static void contributePrecision(ForeignFile file, Draft draft) {
        draft.giveIf(file, "fp16", Draft.PRECISION, "fp16");
        draft.giveIf(file, "amp", Draft.PRECISION, "fp16");
        draft.giveIf(file, "bf16", Draft.PRECISION, "bf16");
        draft.giveIf(file, "pure_bf16", Draft.PRECISION, "bf16");
        draft.byDefault(Draft.PRECISION, "fp32", "the Trainer without bf16 and fp16");
    }

    static void contributeCheckpointing(ForeignFile file, Draft draft) {
        Boolean on = file.flag("gradient_checkpointing");
        draft.giveIf(file, "gradient_checkpointing", Draft.CHECKPOINTING, "full");
        draft.giveIf(file, "activation_checkpointing", Draft.CHECKPOINTING, "full");
        if (file.has("finetuning_type") && !file.flag("disable_gradient_checkpointing", false)) {
            draft.byDefault(Draft.CHECKPOINTING, "full", "LLaMA-Factory's default");
        }
        if (file.has("gradient_checkpointing") || !file.flag(FSDP + "activation_checkpointing", false)) {
            draft.byDefault(Draft.CHECKPOINTING, "none", "the Trainer without gradient_checkpointing");
        }
        String reentrant = "gradient_checkpointing_kwargs.use_reentrant";
        Boolean around = file.flag(reentrant);
        if (around != null && on != null && on) {
            draft.give("strategy.reentrant_checkpoints", around, file.key(reentrant));
        } else {
            file.judge(reentrant, Verdict.IRRELEVANT, "the Trainer checkpoints nothing");
        }
    }

    /** Whether FSDP or DeepSpeed shards the states. */
    static boolean contributeStrategy(ForeignFile file, Draft draft) {
        boolean sharded = contributeFsdp(file, draft);
        String deepSpeed = file.has("deepspeed_config") ? "deepspeed_config" : "deepspeed";
        if (file.has(deepSpeed)) {
            draft.byDefault(Draft.PROFILE, "deepspeed-accelerate", "PyTorch's AdamW, as the Trainer uses it");
            AccelerateConfig.needs(file, draft, deepSpeed);
        } else if (!sharded) {
            draft.giveIf(file, "horovodrun", Draft.KIND, "horovod");
            draft.giveIf(file, "horovod", Draft.KIND, "horovod");
            draft.afterwards(done -> done.byDefault(Draft.KIND, "ddp", "the Trainer without fsdp and deepspeed"));
        }
        AccelerateConfig.contributeParallelism(file, draft, "parallelism_config.");
        Long bucket = file.whole("ddp_bucket_cap_mb", 1, 1_000_000);
        draft.give("strategy.bucket_size", bucket == null ? null : bucket + " MiB", file.key("ddp_bucket_cap_mb"));
        return sharded || file.has(deepSpeed);
    }

    /** Whether the file asks for FSDP. */
    private static boolean contributeFsdp(ForeignFile file, Draft draft) {
        List<String> words = file.words("fsdp").stream()
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
        ForeignKey key = file.key("fsdp");
        if (key == null || words.isEmpty() || words.get(0).equals("false")) {
            file.ignore(FSDP, "fsdp is not set");
            return false;
        }
        String strategy = null;
        for (String word : words) {
            strategy = FsdpSettings.WORDS.contains(word) ? word : strategy;
            if (!FsdpSettings.WORDS.contains(word)
                    && !List.of("auto_wrap", "offload", "true").contains(word)) {
                file.refuse(
                        "fsdp",
                        "fsdp word " + word + " is not one of " + String.join(", ", FsdpSettings.WORDS)
                                + ", auto_wrap, offload; write one of them");
            }
        }
        FsdpSettings.in(FSDP, file, draft).contribute(strategy == null ? "full_shard" : strategy, key);
        if (words.contains("offload")) {
            key.judge(
                    Verdict.DECIDES_THE_ANSWER,
                    "sharding is modelled, offload is not: states stay on the host, and the update runs there, slowly");
        } else if (!words.contains("auto_wrap") && !file.hasBlock("fsdp_config")) {
            key.remark("each layer is a unit, as with auto_wrap");
        }
        return true;
    }

    static void contributeModel(ForeignFile file, Draft draft, String key) {
        String name = draft.isSettled(file, key, "model") ? null : file.text(key);
        if (name == null) {
            return;
        }
        draft.give(Draft.HUB_NAME, name, file.key(key));
        draft.afterwards(done -> {
            if (!done.block("model").isEmpty() || done.has("model")) {
                file.judge(key, Verdict.IRRELEVANT, "another file describes the shape");
            }
        });
    }
}
