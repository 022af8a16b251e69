package io.shardsim.scenarios.importing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hyperparameters of AWS's training scripts for GPT-2 and Llama with the model parallel library. */
final class SageMakerScript {
    private static final String PREFIX = "hyperparameters.";
    private static final String WIDTH = PREFIX + "hidden_width";
    private static final String LENGTH = PREFIX + "max_context_width";
    private static final String TYPE = PREFIX + "model_type";
    private static final String LLAMA_FFN = PREFIX + "llama_intermediate_size";
    private static final long MOST = 1_000_000_000;

    private SageMakerScript() {}

    static void contribute(ForeignFile file, Draft draft) {
        if (!file.has(LENGTH)) {
            contributeOther(file, draft);
            return;
        }
        contributeModel(file, draft);
        draft.giveWhole(file, LENGTH, Draft.SEQUENCE, 1, 16_777_216);
        draft.giveWhole(file, PREFIX + "train_batch_size", Draft.MICRO_BATCH, 1, 65_536);
        draft.giveWhole(file, PREFIX + "gradient_accumulation", Draft.ACCUMULATION, 1, MOST);
        draft.byDefault(Draft.ACCUMULATION, 1L, "the script's default");
        for (String precision : List.of("fp16", "bf16")) {
            draft.giveIf(file, PREFIX + precision, Draft.PRECISION, precision);
        }
        Boolean recomputed = file.flag(PREFIX + "activation_checkpointing");
        draft.giveOr(
                Draft.CHECKPOINTING,
                Boolean.FALSE.equals(recomputed) ? "none" : "full",
                file.key(PREFIX + "activation_checkpointing"),
                "the script's default");
        draft.giveIf(file, PREFIX + "flash_attention", Draft.ATTENTION, "flash");
        draft.giveDecimal(file, PREFIX + "grad_clip", Draft.CLIPPING, 0, 1e9);
    }

    /** Of another script's arguments, only the model's name is understood. */
    private static void contributeOther(ForeignFile file, Draft draft) {
        file.keys().stream()
                .filter(key -> key.path().startsWith(PREFIX) && key.verdict().verdict() == Verdict.MODELLED)
                .forEach(key -> key.judge(
                        Verdict.NOT_MODELLED, "an argument of a script other than AWS's for GPT-2 and Llama"));
        file.judge(
                PREFIX + "train_batch_size",
                Verdict.DECIDES_THE_ANSWER,
                "the script decides whether this is the per-GPU or the global batch; set per_device_train_batch_size");
        for (String key : List.of("model_name_or_path", "model_name", "model_id")) {
            TrainerSettings.contributeModel(file, draft, PREFIX + key);
            file.judge(PREFIX + key, Verdict.MODELLED, "model of the catalog");
        }
    }

    private static void contributeModel(ForeignFile file, Draft draft) {
        String type = file.text(TYPE);
        boolean llama = type != null && type.startsWith("llama");
        if (type != null && !llama && !type.startsWith("gpt2")) {
            file.judge(
                    TYPE,
                    Verdict.DECIDES_THE_ANSWER,
                    "the script builds another model; pass its config.json, or --model NAME");
            return;
        }
        Long width = draft.giveWhole(file, WIDTH, "model.hidden", 1, MOST);
        if (width == null) {
            return;
        }
        draft.giveWhole(file, PREFIX + "num_layers", "model.layers", 1, 100_000);
        draft.giveWhole(file, PREFIX + "num_heads", "model.heads", 1, 65_536);
        draft.giveWhole(file, PREFIX + "num_key_value_heads", "model.kv_heads", 1, 65_536);
        draft.giveWhole(file, PREFIX + "vocab_size", "model.vocab", 1, MOST);
        draft.giveWhole(file, LLAMA_FFN, "model.ffn", 1, MOST);
        shape(draft, width, llama, file.whole(LENGTH, 1, MOST));
    }

    /** @param positions number of learned positions of GPT-2; null if unknown */
    private static void shape(Draft draft, long width, boolean llama, @Nullable Long positions) {
        String why = "a layer of " + (llama ? "Llama" : "GPT-2");
        draft.byDefault("model.layers", 12L, "the script's default");
        draft.byDefault("model.heads", 12L, "the script's default");
        draft.byDefault("model.vocab", llama ? 32_000L : 50_264L, "the script's default");
        draft.byDefault("model.ffn", llama ? 11_008L : 4 * width, llama ? "the script's default" : "4 x hidden_width");
        draft.byDefault("model.gated_ffn", llama, why);
        draft.byDefault("model.tied_embeddings", !llama, why);
        draft.byDefault("model.max_positions", llama ? 0L : positions == null ? 1024L : positions, why);
    }
}
