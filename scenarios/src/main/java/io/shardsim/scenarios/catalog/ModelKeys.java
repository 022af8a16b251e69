package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.workload.Decoder;
import io.shardsim.simulator.workload.Encoder;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.Latent;
import io.shardsim.simulator.workload.Mixture;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Operator.Experts;
import java.util.List;
import java.util.Map;

/** The keys that describe a transformer; model files and the model block of a scenario share them. */
public final class ModelKeys {
    /** Far beyond any model, and small enough that parameters and bytes fit in a long. */
    private static final long HIDDEN_MAX = 262_144;

    public static final List<Key> KEYS = List.of(
            Key.required("hidden", ScalarTypes.whole(1, HIDDEN_MAX), "width of the residual stream"),
            Key.required("layers", ScalarTypes.whole(1, 4096), "transformer layers"),
            Key.required("heads", ScalarTypes.whole(1, 65_536), "query heads of a layer"),
            Key.required("vocab", ScalarTypes.whole(1, 16_777_216), "rows of the embedding"),
            Key.optional(
                    "ffn",
                    ScalarTypes.whole(1, 8 * HIDDEN_MAX),
                    "width between the linear maps of the feed-forward block; omitted: 4 x hidden"),
            Key.optional(
                    "kv_heads",
                    ScalarTypes.whole(1, 65_536),
                    "key-value heads; divides heads; omitted: as many as heads"),
            Key.optional(
                    "head_dim",
                    ScalarTypes.whole(1, 65_536),
                    "width of a head; omitted: hidden / heads, which must be whole"),
            Key.optional(
                    "kv_lora_rank",
                    ScalarTypes.whole(1, HIDDEN_MAX),
                    "width of what keys and values are made of (multi-head latent attention); needs gated_ffn; omitted: none"),
            Key.optional(
                    "q_lora_rank",
                    ScalarTypes.whole(0, HIDDEN_MAX),
                    "width of what queries are made of, beside kv_lora_rank; omitted: 0, the hidden state itself"),
            Key.optional(
                    "qk_rope_head_dim",
                    ScalarTypes.whole(1, 65_536),
                    "part of head_dim that positions turn, beside kv_lora_rank; omitted: 64"),
            Key.optional(
                    "v_head_dim",
                    ScalarTypes.whole(1, 65_536),
                    "width of a value, beside kv_lora_rank; omitted: head_dim less qk_rope_head_dim"),
            Key.optional(
                    "gated_ffn",
                    ScalarTypes.flag(),
                    "whether the block is of the Llama family (gate, RMS norm, no bias); omitted: false"),
            Key.optional(
                    "qk_norm",
                    ScalarTypes.flag(),
                    "whether queries and keys are normed head by head, as in Qwen3; needs gated_ffn; omitted: false"),
            Key.optional(
                    "experts",
                    ScalarTypes.whole(2, 65_536),
                    "experts of a layer (mixture of experts); needs gated_ffn; omitted: none"),
            Key.optional(
                    "experts_per_token",
                    ScalarTypes.whole(1, 65_536),
                    "experts that each token goes through; omitted: 2"),
            Key.optional("expert_ffn", ScalarTypes.whole(1, 8 * HIDDEN_MAX), "ffn of one expert; omitted: ffn"),
            Key.optional(
                    "shared_expert_ffn",
                    ScalarTypes.whole(0, 8 * HIDDEN_MAX),
                    "ffn of all shared experts together, which every token goes through; omitted: 0, none"),
            Key.optional("dense_layers", ScalarTypes.whole(0, 4096), "first layers, which have no experts; omitted: 0"),
            Key.optional(
                    "expert_layer_period",
                    ScalarTypes.whole(1, 4096),
                    "one layer in so many has experts, the last of them; omitted: 1, every layer"),
            Key.optional(
                    "masked_lm",
                    ScalarTypes.decimal(0.001, 1),
                    "share of the tokens that an encoder predicts, such as 0.15 (BERT): attention in both directions; omitted: none, a decoder"),
            Key.optional(
                    "token_types",
                    ScalarTypes.whole(0, 65_536),
                    "rows of the embedding of token types, beside masked_lm; omitted: 2"),
            Key.optional(
                    "pooler",
                    ScalarTypes.flag(),
                    "whether next-sentence prediction trains beside masked_lm; omitted: true"),
            Key.optional(
                    "post_norm",
                    ScalarTypes.flag(),
                    "whether norms come after blocks, beside masked_lm; false as in Megatron-LM; omitted: true"),
            Key.optional(
                    "decoder_layers",
                    ScalarTypes.whole(1, 4096),
                    "layers of a decoder with cross attention, behind an encoder that has `layers` (T5); omitted: none, one stack"),
            Key.optional(
                    "relative_buckets",
                    ScalarTypes.whole(0, 65_536),
                    "distances for which scores have a bias, beside decoder_layers; 0 for none; omitted: 32"),
            Key.optional(
                    "tied_embeddings",
                    ScalarTypes.flag(),
                    "whether the logits reuse the embedding; omitted: true unless gated_ffn"),
            Key.optional(
                    "max_positions",
                    ScalarTypes.whole(0, 16_777_216),
                    "rows of the learned position embedding, 0 with rotary positions; omitted: 0 if gated_ffn or decoder_layers, else the sequence length"));

    /** Keys that say nothing without another one, by that. */
    public static final Map<String, List<String>> BESIDE = Map.of(
            "experts",
            List.of("experts_per_token", "expert_ffn", "shared_expert_ffn", "dense_layers", "expert_layer_period"),
            "kv_lora_rank",
            List.of("q_lora_rank", "qk_rope_head_dim", "v_head_dim"),
            "decoder_layers",
            List.of("relative_buckets"),
            "masked_lm",
            List.of("token_types", "pooler", "post_norm"));

    private ModelKeys() {}

    /** The block of an inline model. */
    public static BlockType block() {
        return new BlockType(KEYS, false);
    }

    /**
     * The shape; the block must have passed {@link #KEYS}.
     *
     * @param sequenceLength learned positions where the block gives none and has a GPT-2 layer
     */
    public static ModelShape shape(Block block, int sequenceLength) {
        int hidden = count(block, "hidden", 1);
        int heads = count(block, "heads", 1);
        int width = block.value("head_dim") == null ? ModelShape.headWidth(hidden, heads) : count(block, "head_dim", 0);
        boolean gated = block.flag("gated_ffn", false);
        int decoders = count(block, "decoder_layers", 0);
        ModelShape shape = new ModelShape(
                hidden,
                count(block, "layers", 1) + decoders,
                gated ? Family.LLAMA : Family.GPT2,
                new Heads(
                        heads,
                        count(block, "kv_heads", heads),
                        width,
                        latent(block, width),
                        block.flag("qk_norm", false)),
                count(block, "ffn", 4L * hidden),
                mixture(block, count(block, "ffn", 4L * hidden)),
                new Embeddings(
                        count(block, "vocab", 1),
                        block.flag("tied_embeddings", !gated),
                        count(block, "max_positions", gated || decoders > 0 ? 0 : sequenceLength)));
        if (decoders > 0) {
            return shape.withDecoder(new Decoder(decoders, sequenceLength, count(block, "relative_buckets", 32)));
        }
        return block.value("masked_lm") == null ? shape : shape.withEncoder(encoder(block));
    }

    private static Encoder encoder(Block block) {
        return new Encoder(
                block.decimal("masked_lm", 0),
                false,
                count(block, "token_types", 2),
                block.flag("pooler", true),
                block.flag("post_norm", true) ? Encoder.Norms.BEHIND : Encoder.Norms.BEFORE);
    }

    private static Latent latent(Block block, int width) {
        int rotary = count(block, "qk_rope_head_dim", 64);
        return block.value("kv_lora_rank") == null
                ? Latent.NONE
                : new Latent(
                        count(block, "q_lora_rank", 0),
                        count(block, "kv_lora_rank", 0),
                        rotary,
                        count(block, "v_head_dim", width - rotary));
    }

    private static Mixture mixture(Block block, int ffn) {
        return block.value("experts") == null
                ? Mixture.NONE
                : new Mixture(
                        new Experts(count(block, "experts", 1), count(block, "experts_per_token", 2)),
                        count(block, "expert_ffn", ffn),
                        count(block, "shared_expert_ffn", 0),
                        count(block, "dense_layers", 0),
                        count(block, "expert_layer_period", 1));
    }

    private static int count(Block block, String key, long otherwise) {
        return Math.toIntExact(block.whole(key, otherwise));
    }
}
