package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Activation.Function;
import io.shardsim.simulator.workload.Attention.Reach;
import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.Linear.Split;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operators of a transformer in forward order: the one place that defines GPT-2 [1], Llama [2], BERT [3], T5 [4] and ViT [5]. Parameters and all
 * other counts of a model are sums over these lists.
 *
 * <p>[1] Radford et al., Language Models are Unsupervised Multitask Learners, 2019. [2] Touvron et al., arXiv:2302.13971. [3] Devlin et al.,
 * arXiv:1810.04805; with pre-norm as in Megatron-LM, arXiv:1909.08053, section 5.3. [4] Raffel et al., arXiv:1910.10683; with a gate as in
 * google-research/text-to-text-transfer-transformer, t5 1.1. [5] Dosovitskiy et al., arXiv:2010.11929; memory leaves out the images themselves, 0.3
 * MB each.
 *
 * @param embedding operators before the layers
 * @param stretches layers, in order
 * @param output blocks after the layers
 */
public record Transformer(List<Operator> embedding, List<Stretch> stretches, List<Block> output) {

    /** Returns the distinct kinds of layers, in order of first use. */
    public List<LayerKind> kinds() {
        return stretches.stream().map(Stretch::kind).distinct().toList();
    }

    /** Returns the index among {@link #kinds} of each layer. */
    int[] kindsOfLayers() {
        List<LayerKind> kinds = kinds();
        return stretches.stream()
                .flatMapToInt(stretch ->
                        IntStream.generate(() -> kinds.indexOf(stretch.kind())).limit(stretch.layers()))
                .toArray();
    }

    /** Returns the operators of a section, in order. */
    public List<Operator> of(Section section) {
        return blocks(section).stream()
                .flatMap(block -> block.operators().stream())
                .toList();
    }

    /** Returns the blocks of a section; the embedding is one. */
    public List<Block> blocks(Section section) {
        return switch (section.place()) {
            case EMBEDDING -> List.of(new Block(embedding));
            case LAYER -> kinds().get(section.kind()).blocks();
            case HEAD -> output;
        };
    }

    /** Returns whether the model has dropout. */
    public boolean hasDropout() {
        return kinds().stream()
                .flatMap(kind -> kind.operators().stream())
                .anyMatch(operator -> operator instanceof Residual residual && residual.dropout());
    }

    /** Returns equal layers. */
    private static List<Stretch> layers(ModelShape shape, List<Operator> attention, List<Operator> feedForward) {
        return List.of(
                new Stretch(new LayerKind(List.of(new Block(attention), new Block(feedForward))), shape.layers()));
    }

    private static List<Stretch> stretches(int layers, IntFunction<LayerKind> kindOf) {
        List<Stretch> stretches = new ArrayList<>();
        for (int layer = 0; layer < layers; ) {
            LayerKind kind = kindOf.apply(layer);
            int first = layer;
            while (layer < layers && kindOf.apply(layer).equals(kind)) {
                layer++;
            }
            stretches.add(new Stretch(kind, layer - first));
        }
        return stretches;
    }

    /**
     * Returns a T5 model: pre-norm RMSNorm, no bias on linear maps, dropout, an FFN with a gate or ReLU. The relative position bias, shared by all
     * layers of a stack, is a parameter of its first layer. The encoder's last layer ends with a norm. Decoder layers have cross attention between
     * the other two blocks.
     */
    static Transformer t5(ModelShape shape) {
        int h = shape.hidden();
        Span own = shape.decoder().span();
        int encoders = shape.layers() - shape.decoder().layers();
        List<Operator> feedForward = new ArrayList<>();
        feedForward.add(new Norm("ffn_norm", h, true));
        if (shape.family() == ModelShape.Family.LLAMA) {
            feedForward.addAll(gated("ffn", h, shape.ffn(), Experts.NONE, false));
            feedForward.add(new Residual(h, true));
        } else {
            feedForward.addAll(feedForward(shape, Function.SINGLE, false));
        }
        List<Block> cross = crossAttention(shape);
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), 0, h)),
                stretches(shape.layers(), layer -> {
                    boolean first = layer == 0 || layer == encoders;
                    List<Block> blocks = new ArrayList<>();
                    if (layer < encoders) {
                        blocks.add(new Block(selfAttention(shape, Reach.BOTH_WAYS, first)));
                        blocks.add(new Block(feedForward));
                        if (layer == encoders - 1) {
                            blocks.add(new Block(List.of(new Norm("encoder_norm", h, true))));
                        }
                    } else {
                        blocks.add(new Block(own, selfAttention(shape, Reach.CAUSAL, first)));
                        blocks.addAll(cross);
                        blocks.add(new Block(own, feedForward));
                    }
                    return new LayerKind(blocks);
                }),
                List.of(new Block(own, head(shape, true).get(0).operators())));
    }

    private static List<Operator> selfAttention(ModelShape shape, Reach reach, boolean first) {
        int h = shape.hidden();
        int ranges = shape.decoder().positionRanges();
        return present(
                new Norm("input_norm", h, true),
                queryKeyValue(shape, false),
                first && ranges > 0 ? new PositionBias(ranges, shape.heads()) : null,
                new Attention(
                        shape.heads(), shape.kvHeads(), shape.headDim(), shape.headDim(), 0, reach, ranges > 0, 0),
                new Linear(new Product("attention.output", shape.headsWidth(), h, false), Split.INPUTS),
                new Residual(h, true));
    }

    /** Returns cross attention: keys and values of all encoder tokens, queries of the decoder's. */
    private static List<Block> crossAttention(ModelShape shape) {
        int h = shape.hidden();
        Linear keysAndValues = new Linear(
                "cross_attention.kv",
                List.of(
                        new Product("cross_attention.key", h, shape.kvHidden(), false),
                        new Product("cross_attention.value", h, shape.kvHidden(), false)),
                Split.OUTPUTS);
        return List.of(
                new Block(List.of(keysAndValues.sharingInput(), new Encoded(2 * shape.kvHidden(), h))),
                new Block(
                        shape.decoder().span(),
                        List.of(
                                new Norm("cross_attention_norm", h, true),
                                new Linear(
                                        new Product("cross_attention.query", h, shape.headsWidth(), false),
                                        Split.OUTPUTS),
                                new Attention(
                                        shape.heads(),
                                        shape.kvHeads(),
                                        shape.headDim(),
                                        shape.headDim(),
                                        0,
                                        Reach.ENCODER),
                                new Linear(
                                        new Product("cross_attention.output", shape.headsWidth(), h, false),
                                        Split.INPUTS),
                                new Residual(h, true))));
    }

    /** Returns a GPT-2 model: LayerNorm, one QKV matrix, GELU, dropout, and a bias on every linear map. */
    static Transformer gpt2(ModelShape shape) {
        int h = shape.hidden();
        Product qkv = new Product("attention.qkv", h, shape.headsWidth() + 2 * shape.kvHidden(), true);
        List<Operator> attention = withBiases(shape, new Linear(qkv, Split.OUTPUTS), Reach.CAUSAL);
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), 0, h)),
                layers(
                        shape,
                        normed("input_norm", h, false, attention),
                        normed("ffn_norm", h, false, feedForward(shape, Function.TANH_GELU, true))),
                head(shape, false));
    }

    /** Returns a BERT model: GPT-2's layer with separate Q, K and V, bidirectional attention, and post-norm, or pre-norm as in Megatron-LM. */
    static Transformer bert(ModelShape shape) {
        int h = shape.hidden();
        Encoder encoder = shape.encoder();
        List<Operator> attention = withBiases(shape, queryKeyValue(shape, true), Reach.BOTH_WAYS);
        boolean behind = encoder.hasNormsBehind();
        return new Transformer(
                present(
                        new Embedding(shape.vocab(), shape.maxPositions(), encoder.tokenTypes(), h),
                        behind ? new Norm("embedding_norm", h, false) : null),
                layers(
                        shape,
                        normed("attention_norm", h, behind, attention),
                        normed("ffn_norm", h, behind, feedForward(shape, Function.SINGLE, true))),
                maskedHead(shape));
    }

    /** Returns a ViT model: BERT's layer with pre-norm and without dropout, image patches instead of tokens, and a classifier on the first token. */
    static Transformer vit(ModelShape shape) {
        int h = shape.hidden();
        Image image = shape.image();
        List<Operator> attention = withBiases(shape, queryKeyValue(shape, true), Reach.BOTH_WAYS);
        return new Transformer(
                List.of(
                        new Linear(new Product("patch_embedding", image.inputs(), h, true), Split.NOTHING),
                        new Embedding(1, image.tokens(), 0, h)),
                layers(
                        shape,
                        undropped(normed("attention_norm", h, false, attention)),
                        undropped(normed("ffn_norm", h, false, feedForward(shape, Function.SINGLE, true)))),
                List.of(
                        new Block(List.of(new Norm("final_norm", h, false))),
                        new Block(Span.FIRST, List.of(new Loss(h, false, shape.vocab(), true)))));
    }

    private static List<Operator> undropped(List<Operator> block) {
        return block.stream()
                .map(operator ->
                        operator instanceof Residual residual ? new Residual(residual.width(), false) : operator)
                .toList();
    }

    /** Returns separate Q, K and V matrices, applied together. */
    private static Linear queryKeyValue(ModelShape shape, boolean bias) {
        int h = shape.hidden();
        return new Linear(
                "attention.qkv",
                List.of(
                        new Product("attention.query", h, shape.headsWidth(), bias),
                        new Product("attention.key", h, shape.kvHidden(), bias),
                        new Product("attention.value", h, shape.kvHidden(), bias)),
                Split.OUTPUTS);
    }

    private static List<Operator> withBiases(ModelShape shape, Linear qkv, Reach reach) {
        return List.of(
                qkv,
                new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), shape.headDim(), 0, reach),
                new Linear(new Product("attention.output", shape.headsWidth(), shape.hidden(), true), Split.INPUTS),
                new Residual(shape.hidden(), true));
    }

    private static List<Operator> feedForward(ModelShape shape, Function function, boolean bias) {
        int h = shape.hidden();
        int ffn = shape.ffn();
        return List.of(
                new Linear(new Product("ffn.up", h, ffn, bias), Split.OUTPUTS),
                new Activation("ffn.activation", ffn, function, Experts.NONE),
                new Linear(new Product("ffn.down", ffn, h, bias), Split.INPUTS),
                new Residual(h, true));
    }

    /** Returns a block with LayerNorm before or after it. */
    private static List<Operator> normed(String name, int h, boolean behind, List<Operator> block) {
        List<Operator> operators = new ArrayList<>(block);
        operators.add(behind ? block.size() : 0, new Norm(name, h, false));
        return operators;
    }

    /** Returns the head for masked tokens, and for the first one, which predicts whether the sample's two parts belong together. */
    private static List<Block> maskedHead(ModelShape shape) {
        int h = shape.hidden();
        Encoder encoder = shape.encoder();
        List<Block> head = new ArrayList<>();
        if (!encoder.hasNormsBehind()) {
            head.add(new Block(List.of(new Norm("final_norm", h, false))));
        }
        head.add(new Block(
                encoder.headTokens(),
                List.of(
                        new Linear(new Product("head.transform", h, h, true), Split.NOTHING),
                        new Activation("head.activation", h, Function.SINGLE, Experts.NONE),
                        new Norm("head.norm", h, false),
                        new Loss(h, shape.tiedEmbeddings(), shape.vocab(), true))));
        if (encoder.pooler()) {
            head.add(new Block(
                    Span.FIRST,
                    List.of(
                            new Linear(new Product("pooler", h, h, true), Split.NOTHING),
                            new Activation("head.activation", h, Function.SINGLE, Experts.NONE),
                            new Linear(new Product("next_sentence", h, 2, true), Split.NOTHING))));
        }
        return head;
    }

    /** Returns the final norm and the logits of all tokens. */
    private static List<Block> head(ModelShape shape, boolean rms) {
        int h = shape.hidden();
        return List.of(new Block(
                List.of(new Norm("final_norm", h, rms), new Loss(h, shape.tiedEmbeddings(), shape.vocab(), false))));
    }

    /** Returns the operators of a block, without absent ones. */
    private static List<Operator> present(@Nullable Operator... operators) {
        return Stream.of(operators).filter(Objects::nonNull).toList();
    }

    /**
     * Returns a Llama model: RMSNorm, separate Q, K and V, QK-norm and sliding windows if the model has them, rotary positions, a gated FFN, no
     * biases.
     */
    static Transformer llama(ModelShape shape) {
        int h = shape.hidden();
        int ffn = shape.ffn();
        List<Operator> feedForward = new ArrayList<>();
        feedForward.add(new Norm("ffn_norm", h, true));
        feedForward.addAll(gated("ffn", h, ffn, Experts.NONE, false));
        feedForward.add(new Residual(h, false));
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), 0, h)),
                stretches(
                        shape.layers(),
                        layer -> llamaLayer(
                                shape,
                                layer,
                                shape.mixture().isAt(layer) ? experts(h, shape.mixture(), layer) : feedForward)),
                head(shape, true));
    }

    private static LayerKind llamaLayer(ModelShape shape, int layer, List<Operator> feedForward) {
        Block attention = new Block(
                shape.attention().latent().isPresent()
                        ? latentAttention(shape)
                        : attention(shape, shape.attention().window().at(layer)));
        Block second = new Block(feedForward);
        return new LayerKind(
                layer < shape.layers() - shape.form().mtpLayers()
                        ? List.of(attention, second)
                        : List.of(mtpInput(shape), attention, second, mtpLogits(shape)));
    }

    /**
     * Returns the start of a multi-token prediction module (DeepSeek-V3, arXiv:2412.19437, section 2.2): the hidden state and the embedding of the
     * next token, each normed, are projected to one hidden state.
     */
    private static Block mtpInput(ModelShape shape) {
        int h = shape.hidden();
        return new Block(List.of(
                new Embedding(0, 0, 0, h),
                new Norm("mtp.embedding_norm", h, true),
                new Norm("mtp.hidden_norm", h, true),
                new Linear(new Product("mtp.projection", 2 * h, h, false), Split.OUTPUTS)));
    }

    /** Returns the end of a multi-token prediction module: a norm of its own, and logits by the model's head. */
    private static Block mtpLogits(ModelShape shape) {
        int h = shape.hidden();
        return new Block(List.of(new Norm("mtp.norm", h, true), new Loss(h, true, shape.vocab(), false)));
    }

    /** Returns a token's routed experts and the shared expert. */
    private static List<Operator> experts(int h, MixtureOfExperts mixture, int layer) {
        Experts experts = mixture.load().of(layer, mixture.experts());
        boolean shared = mixture.isShared();
        List<Operator> block = new ArrayList<>();
        block.add(new Norm("ffn_norm", h, true));
        if (shared) {
            block.addAll(gated("shared_expert", h, mixture.sharedFfn(), Experts.NONE, false));
        }
        block.add(new ExpertRouter(h, experts, !shared));
        block.addAll(gated("experts", h, mixture.ffn(), experts, mixture.biased()));
        block.add(new ExpertSum(h, experts, mixture.biased()));
        block.add(new Residual(h, false));
        return block;
    }

    private static List<Operator> gated(String name, int h, int ffn, Experts experts, boolean biased) {
        return List.of(
                new Linear(
                        name + ".gate-up",
                        List.of(
                                new Product(name + ".gate", h, ffn, biased, experts),
                                new Product(name + ".up", h, ffn, biased, experts)),
                        Split.OUTPUTS),
                new Activation(name + ".activation", ffn, biased ? Function.GATED_CLAMPED : Function.GATED, experts),
                new Linear(new Product(name + ".down", ffn, h, biased, experts), Split.INPUTS));
    }

    private static List<Operator> attention(ModelShape shape, int window) {
        int h = shape.hidden();
        return present(
                new Norm("input_norm", h, true),
                queryKeyValue(shape, false),
                shape.attention().normed() ? new QueryKeyNorm(shape.heads(), shape.kvHeads(), shape.headDim()) : null,
                new Attention(
                        shape.heads(),
                        shape.kvHeads(),
                        shape.headDim(),
                        shape.headDim(),
                        shape.headDim(),
                        Reach.CAUSAL,
                        false,
                        window),
                new Linear(new Product("attention.output", shape.headsWidth(), h, false), Split.INPUTS),
                new Residual(h, false));
    }

    /** Returns latent attention: low-rank states, normalized, and each head's projections of them. */
    private static List<Operator> latentAttention(ModelShape shape) {
        int h = shape.hidden();
        Latent latent = shape.attention().latent();
        Product keyValueDown =
                new Product("attention.key_value_down", h, latent.keyValueRank() + latent.rotary(), false);
        int unturned = shape.headDim() - latent.rotary();
        List<Operator> block = new ArrayList<>();
        block.add(new Norm("input_norm", h, true));
        if (latent.queryRank() == 0) {
            Product query = new Product("attention.query", h, shape.headsWidth(), false);
            block.add(new Linear("attention.query-down", List.of(query, keyValueDown), Split.OUTPUTS));
        } else {
            Product queryDown = new Product("attention.query_down", h, latent.queryRank(), false);
            block.add(new Linear("attention.down", List.of(queryDown, keyValueDown), Split.NOTHING));
            block.add(new Norm("attention.query_norm", latent.queryRank(), true));
            block.add(new Linear(
                    new Product("attention.query_up", latent.queryRank(), shape.headsWidth(), false), Split.OUTPUTS));
        }
        block.add(new Norm("attention.key_value_norm", latent.keyValueRank(), true));
        block.add(new Linear(
                new Product(
                        "attention.key_value_up",
                        latent.keyValueRank(),
                        shape.heads() * (unturned + latent.valueWidth()),
                        false),
                Split.OUTPUTS));
        block.add(new Attention(
                shape.heads(), shape.kvHeads(), shape.headDim(), latent.valueWidth(), latent.rotary(), Reach.CAUSAL));
        block.add(new Linear(new Product("attention.output", shape.attentionWidth(), h, false), Split.INPUTS));
        block.add(new Residual(h, false));
        return block;
    }
}
