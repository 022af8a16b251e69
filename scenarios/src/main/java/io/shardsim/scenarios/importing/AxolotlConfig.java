package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.List;

/** A configuration of axolotl, which runs the Trainer of Hugging Face under other names. */
final class AxolotlConfig implements Importer {
    private static final String OFFLOAD = "offload";

    @Override
    public String table() {
        return "axolotl";
    }

    /** A DeepSpeed configuration written out rather than named. */
    @Override
    public String innerKey(Mapping root) {
        return "deepspeed";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        TrainerSettings.contributeModel(file, draft, "base_model");
        draft.giveWhole(file, "sequence_len", Draft.SEQUENCE, 1, 16_777_216);
        draft.byDefault(Draft.SEQUENCE, 512L, "axolotl's default");
        draft.giveWhole(file, "micro_batch_size", Draft.MICRO_BATCH, 1, 65_536);
        draft.byDefault(Draft.MICRO_BATCH, 1L, "axolotl's default");
        draft.giveWhole(file, "gradient_accumulation_steps", Draft.ACCUMULATION, 1, 1_000_000_000);
        draft.byDefault(Draft.ACCUMULATION, 1L, "axolotl's default");
        draft.giveDecimal(file, "max_grad_norm", Draft.CLIPPING, 0, 1e9);
        draft.byDefault(Draft.CLIPPING, 1.0, "the Trainer's default");
        contributeCheckpointing(file, draft);
        contributeAttention(file, draft);
        OptimizerName.contribute(file, draft, "optimizer", null);
        draft.giveIf(file, "torch_compile", Draft.KERNELS, "compiled");
        draft.giveIf(file, "liger_fused_linear_cross_entropy", Draft.PROFILE, "liger");
        String adapter = file.text("adapter");
        boolean adapters = adapter != null && adapter.matches("q?lora");
        if (adapters) {
            AdapterSettings.contributeAxolotl(file, draft);
        } else {
            file.ignore("lora_", "all weights are trained");
        }
        boolean sharded = contributeStrategy(file, draft);
        draft.giveDegree(file, "tensor_parallel_size", "strategy.tensor_parallel", 1);
        for (String key : List.of("context_parallel_size", "sequence_parallel_degree")) {
            draft.giveDegree(file, key, "strategy.context_parallel", 1);
        }
        contributePrecision(file, draft, adapters || sharded);
    }

    private static boolean contributeStrategy(ForeignFile file, Draft draft) {
        if (file.has("fsdp") || !file.hasBlock("fsdp_config")) {
            return TrainerSettings.contributeStrategy(file, draft);
        }
        FsdpSettings.in(TrainerSettings.FSDP, file, draft).contribute(null, null);
        return true;
    }

    /** Weights are loaded in BF16; what shards them keeps the states in FP32, and so do adapters. */
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
        draft.giveIf(file, "activation_offloading", "training.activation_offload", true);
    }

    private static void contributeAttention(ForeignFile file, Draft draft) {
        HuggingFaceModel.give(file, draft, "attn_implementation");
        for (String key : List.of("flash_attention", "sdp_attention", "xformers_attention", "flex_attention")) {
            draft.giveIf(file, key, Draft.ATTENTION, "flash");
        }
        draft.giveIf(file, "eager_attention", Draft.ATTENTION, "standard");
    }
}
