package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;

/** An axolotl config. Axolotl runs the Hugging Face Trainer with different key names. */
final class AxolotlConfig implements Importer {
    private static final String OFFLOAD = "offload";

    @Override
    public String table() {
        return "axolotl";
    }

    /** Handles a DeepSpeed configuration written inline, not as a file name. */
    @Override
    public String innerKey(Mapping root) {
        return "deepspeed";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        TrainerSettings.contributeModel(file, draft, "base_model");
        contributeCheckpointing(file, draft);
        HuggingFaceModel.give(file, draft, "attn_implementation");
        OptimizerName.contribute(file, draft, "optimizer", null);
        String adapter = file.text("adapter");
        boolean adapters = adapter != null && adapter.matches("q?lora");
        if (adapters) {
            AdapterSettings.contributeAxolotl(file, draft);
        } else {
            file.ignore("lora_", "all weights are trained");
        }
        if (file.flag("model_quantization_config_kwargs.dequantize", false)) {
            file.ignore("model_quantization_config", "weights are dequantized while loading");
        }
        AccelerateConfig.contributeParallelism(file, draft, "");
        boolean sharded = contributeStrategy(file, draft);
        contributePrecision(file, draft, adapters || sharded);
    }

    private static boolean contributeStrategy(ForeignFile file, Draft draft) {
        if (file.has("fsdp") || !file.hasBlock("fsdp_config")) {
            return TrainerSettings.contributeStrategy(file, draft);
        }
        FsdpSettings.in(TrainerSettings.FSDP, file, draft).contribute(null, null);
        return true;
    }

    /** Weights are loaded in BF16; sharding frameworks keep states in FP32, and so do adapters. */
    private static void contributePrecision(ForeignFile file, Draft draft, boolean states) {
        draft.giveIf(file, "fp16", Draft.PRECISION, "fp16");
        draft.giveIf(file, "bfloat16", Draft.PRECISION, "bf16_pure");
        String halved = states ? "bf16" : "bf16_pure";
        if (Boolean.FALSE.equals(file.flag("bf16"))) {
            draft.byDefault(Draft.PRECISION, "fp32", "axolotl without bf16 and fp16");
        } else {
            draft.giveIf(file, "bf16", Draft.PRECISION, halved);
            draft.byDefault(Draft.PRECISION, halved, "axolotl's bf16: auto");
        }
        if (!states && !Boolean.FALSE.equals(file.flag("bf16"))) {
            file.judge("bf16", Verdict.MODELLED, "training.precision bf16_pure: nothing keeps FP32 states");
        }
    }

    private static void contributeCheckpointing(ForeignFile file, Draft draft) {
        String key = "gradient_checkpointing";
        String word = file.text(key);
        boolean offloads = word != null && (word.startsWith(OFFLOAD) || word.equals("unsloth"));
        if (offloads) {
            draft.give(Draft.CHECKPOINTING, "full", file.key(key));
            draft.give("training.activation_offload", true, file.key(key));
        } else {
            TrainerSettings.contributeCheckpointing(file, draft);
        }
    }
}
