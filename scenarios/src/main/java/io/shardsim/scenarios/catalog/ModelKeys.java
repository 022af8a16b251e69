package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.ModelShape.Heads;
import io.shardsim.simulator.workload.ModelShape.Mixture;
import io.shardsim.simulator.workload.Operator.Experts;
import java.util.List;

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
                    "tied_embeddings",
                    ScalarTypes.flag(),
                    "whether the logits reuse the embedding; omitted: true unless gated_ffn"),
            Key.optional(
                    "max_positions",
                    ScalarTypes.whole(0, 16_777_216),
                    "rows of the learned position embedding, 0 with rotary positions; omitted: 0 if gated_ffn, else the sequence length"));

    /** Keys that say nothing without experts. */
    public static final List<String> OF_EXPERTS =
            List.of("experts_per_token", "expert_ffn", "shared_expert_ffn", "dense_layers", "expert_layer_period");

    private ModelKeys() {}

    /** The block of an inline model. */
    public static BlockType block() {
        return new BlockType(KEYS, false);
    }

    /**
     * The shape; the block must have passed {@link #KEYS}, and heads must divide hidden where the block has no head_dim.
     *
     * @param sequenceLength learned positions where the block gives none and has a GPT-2 layer
     */
    public static ModelShape shape(Block block, int sequenceLength) {
        int hidden = count(block, "hidden", 1);
        int heads = count(block, "heads", 1);
        boolean gated = block.flag("gated_ffn", false);
        return new ModelShape(
                hidden,
                count(block, "layers", 1),
                gated ? Family.LLAMA : Family.GPT2,
                new Heads(
                        heads,
                        count(block, "kv_heads", heads),
                        count(block, "head_dim", hidden / heads),
                        block.flag("qk_norm", false)),
                count(block, "ffn", 4L * hidden),
                mixture(block, count(block, "ffn", 4L * hidden)),
                new Embeddings(
                        count(block, "vocab", 1),
                        block.flag("tied_embeddings", !gated),
                        count(block, "max_positions", gated ? 0 : sequenceLength)));
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
