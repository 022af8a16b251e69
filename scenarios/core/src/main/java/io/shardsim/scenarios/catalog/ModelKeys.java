package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.workload.Decoder;
import io.shardsim.simulator.workload.Encoder;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Heads;
import io.shardsim.simulator.workload.Image;
import io.shardsim.simulator.workload.Latent;
import io.shardsim.simulator.workload.MixtureOfExperts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ModelShape.Embeddings;
import io.shardsim.simulator.workload.ModelShape.Family;
import io.shardsim.simulator.workload.Window;
import java.util.List;
import java.util.Map;

/** Keys of a transformer, shared by model files and the model block of a scenario. */
public final class ModelKeys {
    public static final List<Key> KEYS =
            HardwareKeys.FILE.keys("model", Map.of("stages", new ListType(ScalarTypes.whole(1, 1024), "blocks")));

    /** Keys that need another one, by the key they need. */
    public static final Map<String, List<String>> BESIDE = Map.of(
            "experts",
            List.of(
                    "experts_per_token",
                    "expert_ffn",
                    "shared_expert_ffn",
                    "dense_layers",
                    "expert_layer_period",
                    "expert_bias"),
            "kv_lora_rank",
            List.of("q_lora_rank", "qk_rope_head_dim", "v_head_dim"),
            "decoder_layers",
            List.of("relative_buckets"),
            "masked_lm",
            List.of("token_types", "pooler", "post_norm"),
            "sliding_window",
            List.of("full_attention_period"));

    private ModelKeys() {}

    /** Returns the type of an inline model's block. */
    public static BlockType block() {
        return new BlockType(KEYS, false);
    }

    /**
     * Returns the shape; the block must have passed {@link #KEYS}.
     *
     * @param sequenceLength learned positions, for a GPT-2 layer whose block gives none
     */
    public static ModelShape shape(Block block, int sequenceLength) {
        int hidden = count(block, "hidden", 1);
        int heads = count(block, "heads", 1);
        int width = block.value("head_dim") == null ? ModelShape.headWidth(hidden, heads) : count(block, "head_dim", 0);
        boolean gated = block.flag("gated_ffn", false);
        int decoders = count(block, "decoder_layers", 0);
        Image image = image(block);
        int positions = image.isConvolved()
                ? 0
                : image.isPresent() ? image.tokens() : gated || decoders > 0 ? 0 : sequenceLength;
        ModelShape shape = new ModelShape(
                hidden,
                count(block, "layers", 1) + decoders,
                gated ? Family.LLAMA : Family.GPT2,
                new Heads(
                        heads,
                        count(block, "kv_heads", heads),
                        width,
                        latent(block, width),
                        block.flag("qk_norm", false),
                        window(block)),
                ffn(block),
                mixture(block, ffn(block)),
                new Embeddings(
                        count(block, "vocab", 1),
                        block.flag("tied_embeddings", !gated && !image.isPresent()),
                        count(block, "max_positions", positions)));
        if (decoders > 0) {
            return shape.withDecoder(new Decoder(decoders, sequenceLength, count(block, "relative_buckets", 32)));
        }
        if (image.isPresent()) {
            return shape.withImage(image);
        }
        return block.value("masked_lm") == null
                ? shape.withMtpLayers(count(block, "mtp_layers", 0))
                : shape.withEncoder(encoder(block));
    }

    /** Returns the image size of a model's samples. */
    public static Image image(Block block) {
        List<Integer> stages =
                block.<Long>list("stages").stream().map(Math::toIntExact).toList();
        return block.value("patch_size") == null && stages.isEmpty()
                ? Image.NONE
                : new Image(count(block, "image_size", 224), count(block, "patch_size", 0), stages);
    }

    /** Returns the width of a block inside. */
    public static int ffn(Block block) {
        return count(block, "ffn", 4 * block.whole("hidden", 1));
    }

    private static Encoder encoder(Block block) {
        return new Encoder(
                block.decimal("masked_lm", 0),
                false,
                count(block, "token_types", 2),
                block.flag("pooler", true),
                block.flag("post_norm", true) ? Encoder.Norms.BEHIND : Encoder.Norms.BEFORE);
    }

    private static Window window(Block block) {
        return block.value("sliding_window") == null
                ? Window.NONE
                : new Window(count(block, "sliding_window", 0), count(block, "full_attention_period", 0));
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

    private static MixtureOfExperts mixture(Block block, int ffn) {
        return block.value("experts") == null
                ? MixtureOfExperts.NONE
                : new MixtureOfExperts(
                        new Experts(count(block, "experts", 1), count(block, "experts_per_token", 2)),
                        count(block, "expert_ffn", ffn),
                        count(block, "shared_expert_ffn", 0),
                        count(block, "dense_layers", 0),
                        count(block, "expert_layer_period", 1),
                        block.flag("expert_bias", false),
                        ExpertLoad.EVEN);
    }

    private static int count(Block block, String key, long otherwise) {
        return Math.toIntExact(block.whole(key, otherwise));
    }
}
