package io.shardsim.scenarios.importing;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.workload.Image;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The {@code config.json} of a Hugging Face model with a simulated layer type; other models are rejected. */
final class HuggingFaceModel implements Importer {
    private static final long MOST = Integer.MAX_VALUE;

    /**
     * A model type.
     *
     * @param gated whether the feed-forward block is gated, with RMS norms and no biases
     * @param activation activation of the simulated layer
     * @param positions key of the learned positions; empty for rotary ones
     * @param tied whether embeddings are tied by default
     * @param note how its layer differs; empty if it does not
     */
    private record Kind(boolean gated, List<String> activation, String positions, boolean tied, String note) {
        static Kind of(Block row) {
            return new Kind(
                    row.flag("gated", false),
                    Objects.requireNonNull(ACTIVATIONS.get(row.text("activation", ""))),
                    row.text("positions", ""),
                    row.flag("tied", false),
                    row.text("note", ""));
        }
    }

    private static final Map<String, List<String>> ACTIVATIONS = Map.of(
            "silu", List.of("silu", "swish"),
            "gelu", List.of("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "gelu_python"),
            "relu", List.of("relu"));

    @Override
    public String table() {
        return "huggingface";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        String type = file.text("model_type");
        Block row = type == null ? null : Known.kinds().get(type);
        if (type == null || row == null) {
            refuse(file, type);
            return;
        }
        Kind kind = Kind.of(row);
        if (!kind.note().isEmpty()) {
            file.judge("model_type", Verdict.APPROXIMATED, kind.note());
        }
        contributeShape(file, draft, kind);
        contributePositions(file, draft, type, kind);
        checkActivation(file, kind);
        contributeDropout(file, draft);
        contributeAttention(file, draft);
        if (!row.flag("sdpa", true)) {
            draft.giveIf(file, "without-flash", Draft.ATTENTION, "standard");
            file.judge("without-flash", Verdict.MODELLED, Draft.ATTENTION);
            draft.afterwards(done -> done.assume(
                    Draft.ATTENTION,
                    "standard",
                    "not in any file, and PyTorch has no fused kernel for attention " + "sinks"));
        }
        contributeWindow(file, draft, kind);
        String stored = file.text(file.has("torch_dtype") ? "torch_dtype" : "dtype");
        if (stored != null && (stored.equals("bfloat16") || stored.equals("float16"))) {
            draft.assume(
                    Draft.PRECISION,
                    stored.equals("bfloat16") ? "bf16" : "fp16",
                    "not in any file; the format in which weights are stored");
        }
    }

    private static void refuse(ForeignFile file, @Nullable String type) {
        String remedy = "; leave this file out and pass --model NAME, or describe a Llama, GPT-2 or BERT layer of its "
                + "size in the scenario";
        if (type == null) {
            file.problems().add(Position.START, "has no model_type; add for example \"model_type\": \"llama\"");
            return;
        }
        String why = Known.whyNotModelled(type);
        String known =
                String.join(", ", Known.kinds().keySet().stream().sorted().toList());
        file.refuse(
                "model_type",
                "model_type " + YamlReader.printable(type) + " is not modelled"
                        + (why == null ? "; modelled: " + known : ": " + why) + remedy);
    }

    private static void contributeShape(ForeignFile file, Draft draft, Kind kind) {
        Long hidden = first(file, draft, "model.hidden", "hidden_size", "n_embd", "d_model");
        first(file, draft, "model.layers", "num_hidden_layers", "n_layer", "num_layers");
        Long heads = first(file, draft, "model.heads", "num_attention_heads", "n_head", "num_heads");
        if (file.has("n_embd") && !file.has("n_inner")) {
            draft.byDefault("model.ffn", hidden == null ? 1L : 4 * hidden, "n_inner is not set: 4 x n_embd");
        } else {
            first(file, draft, "model.ffn", "intermediate_size", "ffn_dim", "n_inner", "d_ff");
        }
        String type = String.valueOf(file.text("model_type"));
        if (type.equals("vit")) {
            contributeImage(file, draft);
        } else {
            first(file, draft, "model.vocab", "vocab_size");
        }
        contributeDecoder(file, draft, type);
        draft.byDefault("model.gated_ffn", kind.gated(), "a layer of model_type " + type);
        if (type.startsWith("qwen3") || type.equals("olmoe")) {
            draft.byDefault("model.qk_norm", true, "a layer of model_type " + type);
        }
        contributeExperts(file, draft);
        draft.byDefault("model.tied_embeddings", kind.tied(), "the default of this model_type");
        contributeLatent(file, draft);
        contributeEncoder(file, draft, type);
        String widthKey = file.has("d_kv") ? "d_kv" : "head_dim";
        Long said = file.whole(widthKey, 1, MOST);
        Long width = said == null ? usual(file, "head_dim") : said;
        if (!file.has("kv_lora_rank") && width != null && hidden != null && heads != null && width * heads != hidden) {
            draft.giveOr("model.head_dim", width, file.key(widthKey), "the default of this model_type");
        }
        Long projected = file.whole("word_embed_proj_dim", 1, MOST);
        if (projected != null && projected.equals(hidden)) {
            file.judge("word_embed_proj_dim", Verdict.IRRELEVANT, "as wide as hidden");
        }
    }

    /** Reads patch size and number of classes of an image model. */
    private static void contributeImage(ForeignFile file, Draft draft) {
        draft.giveWhole(file, "num_labels", "model.vocab", 1, MOST);
        file.judge("num_labels", Verdict.MODELLED, "model.vocab, the number of classes");
        if (Boolean.TRUE.equals(file.flag("qkv_bias"))) {
            file.judge("qkv_bias", Verdict.MODELLED, "the simulated layer has its biases");
        }
        draft.byDefault("model.vocab", 1000L, "the classes of ImageNet; num_labels changes it");
        Long patch = first(file, draft, "model.patch_size", "patch_size");
        Long size = first(file, draft, "model.image_size", "image_size");
        if (patch != null && size != null && size >= patch) {
            int tokens = new Image(Math.toIntExact(size), Math.toIntExact(patch)).tokens();
            draft.byDefault(Draft.SEQUENCE, (long) tokens, "the patches of an image, and the class token");
        }
    }

    /** Reads an encoder-decoder such as T5. */
    private static void contributeDecoder(ForeignFile file, Draft draft, String type) {
        if (!type.endsWith("t5")) {
            return;
        }
        draft.giveWhole(file, "num_decoder_layers", "model.decoder_layers", 1, MOST);
        Long encoders = file.whole("num_layers", 1, MOST);
        draft.byDefault("model.decoder_layers", encoders == null ? 1L : encoders, "as many as num_layers");
        draft.giveWhole(file, "relative_attention_num_buckets", "model.relative_buckets", 0, MOST);
        draft.byDefault("model.relative_buckets", 32L, "T5Config's default");
        String projection = file.text("feed_forward_proj");
        if (projection != null) {
            draft.give("model.gated_ffn", projection.startsWith("gated"), file.key("feed_forward_proj"));
        }
    }

    /** Reads an encoder such as BERT. */
    private static void contributeEncoder(ForeignFile file, Draft draft, String type) {
        draft.giveWhole(file, "type_vocab_size", "model.token_types", 0, MOST);
        if (type.endsWith("bert") || type.endsWith("roberta")) {
            draft.byDefault("model.masked_lm", 0.15, "the share that DataCollatorForLanguageModeling masks");
            boolean alone =
                    type.endsWith("roberta") || file.words("architectures").contains("BertForMaskedLM");
            draft.byDefault(
                    "model.pooler",
                    !alone,
                    alone ? "masked tokens alone" : "BertForPreTraining also predicts the next sentence");
            draft.byDefault("model.post_norm", !type.equals("megatron-bert"), "a layer of model_type " + type);
        }
    }

    /** Reads multi-head latent attention, whose heads have a part with rotary positions and one without. */
    private static void contributeLatent(ForeignFile file, Draft draft) {
        Long rank = file.text("q_lora_rank") == null ? null : file.whole("q_lora_rank", 1, MOST);
        draft.give("model.q_lora_rank", rank, file.key("q_lora_rank"));
        Long turned = draft.giveWhole(file, "qk_rope_head_dim", "model.qk_rope_head_dim", 1, MOST);
        Long others = file.whole("qk_nope_head_dim", 1, MOST);
        if (turned != null && others != null) {
            draft.give("model.head_dim", turned + others, file.key("qk_nope_head_dim"));
        }
    }

    /** Reads experts; in Mixtral and OLMoE intermediate_size is their width. */
    private static void contributeExperts(ForeignFile file, Draft draft) {
        draft.giveWhole(file, "first_k_dense_replace", "model.dense_layers", 0, MOST);
        Long shared = file.whole("n_shared_experts", 0, 1024);
        Long width = file.whole("moe_intermediate_size", 1, MOST);
        if (shared != null && shared > 0 && width != null) {
            draft.give("model.shared_expert_ffn", shared * width, file.key("n_shared_experts"));
        }
    }

    /** The first of these keys that the file has; adds a problem if it has none. */
    private static @Nullable Long first(ForeignFile file, Draft draft, String name, String... keys) {
        for (String key : keys) {
            if (file.has(key)) {
                return draft.giveWhole(file, key, name, 1, MOST);
            }
        }
        file.problems()
                .add(Position.START, "has no " + String.join(" or ", keys) + "; the model shape needs it, so add it");
        return null;
    }

    private static void contributePositions(ForeignFile file, Draft draft, String type, Kind kind) {
        if (type.equals("vit")) {
            return;
        }
        if (kind.positions().isEmpty()) {
            draft.byDefault("model.max_positions", 0L, type.endsWith("t5") ? "relative positions" : "rotary positions");
            return;
        }
        String key = file.has("n_positions") ? "n_positions" : file.has("n_ctx") ? "n_ctx" : kind.positions();
        Long rows = file.whole(key, 1, MOST);
        // OPT has two extra rows before the first position.
        draft.give(
                "model.max_positions",
                rows == null || !type.equals("opt") ? rows : Long.valueOf(rows + 2),
                file.key(key));
        file.judge(key, Verdict.MODELLED, "model.max_positions");
    }

    private static void checkActivation(ForeignFile file, Kind kind) {
        for (String key : List.of("hidden_activation", "hidden_act", "activation_function")) {
            String activation = file.text(key);
            if (activation != null && !kind.activation().contains(activation)) {
                file.judge(
                        key,
                        Verdict.APPROXIMATED,
                        "the kernel of " + kind.activation().get(0) + " is simulated; it moves the same bytes");
            }
        }
    }

    private static void contributeDropout(ForeignFile file, Draft draft) {
        ForeignKey on = null;
        ForeignKey off = null;
        for (String key : List.of(
                "resid_pdrop",
                "embd_pdrop",
                "embedding_dropout",
                "attn_pdrop",
                "hidden_dropout",
                "hidden_dropout_prob",
                "attention_probs_dropout_prob",
                "attention_dropout",
                "dropout",
                "dropout_rate",
                "residual_dropout")) {
            Double rate = file.decimal(key, 0, 1);
            on = rate != null && rate > 0 ? file.key(key) : on;
            off = rate != null && rate == 0 ? file.key(key) : off;
        }
        draft.give("training.dropout", on != null, on != null ? on : off);
    }

    /** Ignores a window at least as long as the sample. */
    private static void contributeWindow(ForeignFile file, Draft draft, Kind kind) {
        Boolean used = file.flag("use_sliding_window");
        Long window = file.whole("sliding_window", 1, MOST);
        if (used != null && !used) {
            file.judge("sliding_window", Verdict.IRRELEVANT, "use_sliding_window is false");
            file.judge("max_window_layers", Verdict.IRRELEVANT, "use_sliding_window is false");
        } else if (window != null) {
            draft.atEnd(done -> {
                long length = done.whole(Draft.SEQUENCE, 0);
                List<String> types = file.words("layer_types");
                Long usual = types.isEmpty() ? usual(file, "full_period") : null;
                long period = usual == null ? fullPeriod(types) : usual;
                if (length <= window) {
                    file.judge(
                            "sliding_window",
                            Verdict.IRRELEVANT,
                            "a sample of " + length + " tokens does not leave it");
                    file.judge("use_sliding_window", Verdict.IRRELEVANT, "no sequence exceeds sliding_window");
                } else if (kind.gated() && !file.has("max_window_layers") && period >= 0) {
                    done.give("model.sliding_window", window, file.key("sliding_window"));
                    if (period > 0) {
                        String name = "model.full_attention_period";
                        done.giveOr(name, period, file.key("layer_types"), "the default of this model_type");
                    }
                    List.of("sliding_window", "layer_types", "use_sliding_window")
                            .forEach(key -> file.judge(key, Verdict.MODELLED, "model.sliding_window"));
                }
            });
        }
    }

    /** The model type's default; null if unknown. */
    private static @Nullable Long usual(ForeignFile file, String key) {
        Block kind = Known.kinds().get(String.valueOf(file.text("model_type")));
        return kind == null ? null : kind.whole(key);
    }

    /** The period of layers without a window; 0 for none, -1 if they are not periodic. */
    private static long fullPeriod(List<String> types) {
        int period = types.indexOf("full_attention") + 1;
        for (int layer = 0; layer < types.size(); layer++) {
            boolean full = period > 0 && (layer + 1) % period == 0;
            if (!types.get(layer).equals(full ? "full_attention" : "sliding_attention")) {
                return -1;
            }
        }
        return period;
    }

    private static void contributeAttention(ForeignFile file, Draft draft) {
        for (String key : List.of("_attn_implementation", "attn_implementation")) {
            give(file, draft, key);
        }
    }

    /** Reads Hugging Face's name of an attention implementation, in any file. */
    static void give(ForeignFile file, Draft draft, String key) {
        String name = file.text(key);
        if (name == null || name.equals(ForeignFile.AUTO)) {
            return;
        }
        if (name.matches("flash.*|fa2") || name.contains("flash-attn")) {
            draft.give(Draft.ATTENTION, "flash", file.key(key));
        } else if (name.equals("sdpa")) {
            draft.give(Draft.ATTENTION, "flash", file.key(key));
            file.judge(key, Verdict.APPROXIMATED, "training.attention flash, the kernel that sdpa picks if possible");
        } else if (name.equals("eager")) {
            draft.give(Draft.ATTENTION, "standard", file.key(key));
        } else {
            file.judge(
                    key,
                    Verdict.NOT_MODELLED,
                    "only eager, sdpa and FlashAttention are simulated; attention time may differ");
        }
    }
}
