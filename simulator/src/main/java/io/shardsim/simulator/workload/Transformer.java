package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ModelShape.Latent;
import io.shardsim.simulator.workload.ModelShape.Mixture;
import io.shardsim.simulator.workload.Operator.Activation;
import io.shardsim.simulator.workload.Operator.Attention;
import io.shardsim.simulator.workload.Operator.Combine;
import io.shardsim.simulator.workload.Operator.Embedding;
import io.shardsim.simulator.workload.Operator.Experts;
import io.shardsim.simulator.workload.Operator.Linear;
import io.shardsim.simulator.workload.Operator.Linear.Product;
import io.shardsim.simulator.workload.Operator.Loss;
import io.shardsim.simulator.workload.Operator.Norm;
import io.shardsim.simulator.workload.Operator.QueryKeyNorm;
import io.shardsim.simulator.workload.Operator.Residual;
import io.shardsim.simulator.workload.Operator.Router;
import io.shardsim.simulator.workload.Operator.Split;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operators of a decoder-only transformer in the order of its forward: the one place that knows what GPT-2 [1] and Llama [2] look like. Parameters and
 * whatever else is counted of a model are sums over these lists.
 *
 * <p>[1] Radford et al., Language Models are Unsupervised Multitask Learners, 2019. [2] Touvron et al., arXiv:2302.13971.
 *
 * @param embedding what comes before the layers
 * @param stretches layers, in order
 * @param output what comes after the layers
 */
public record Transformer(List<Operator> embedding, List<Stretch> stretches, List<Block> output) {

    /** Kinds of layers, each once, in the order in which they come first. */
    public List<LayerKind> kinds() {
        return stretches.stream().map(Stretch::kind).distinct().toList();
    }

    /** For each layer, which of {@link #kinds} it is. */
    int[] kindsOfLayers() {
        List<LayerKind> kinds = kinds();
        return stretches.stream()
                .flatMapToInt(stretch ->
                        IntStream.generate(() -> kinds.indexOf(stretch.kind())).limit(stretch.layers()))
                .toArray();
    }

    /** Operators of a section, in order. */
    public List<Operator> of(Section section) {
        return blocks(section).stream().flatMap(block -> block.operators().stream()).toList();
    }

    /** A section by its blocks; the embedding is one. */
    public List<Block> blocks(Section section) {
        return switch (section.place()) {
            case EMBEDDING -> List.of(new Block(embedding));
            case LAYER -> kinds().get(section.kind()).blocks();
            case HEAD -> output;
        };
    }

    /** Whether the model has a dropout. */
    public boolean hasDropout() {
        return kinds().stream()
                .flatMap(kind -> kind.operators().stream())
                .anyMatch(operator -> operator instanceof Residual residual && residual.dropout());
    }

    /** Layers whose feed-forward block is the first, or the second where there are experts. */
    private static List<Stretch> layers(
            ModelShape shape, List<Operator> attention, List<Operator> feedForward, List<Operator> experts) {
        LayerKind dense = new LayerKind(List.of(new Block(attention), new Block(feedForward)));
        LayerKind mixture = new LayerKind(List.of(new Block(attention), new Block(experts)));
        List<Stretch> stretches = new ArrayList<>();
        for (int layer = 0; layer < shape.layers(); ) {
            boolean hasExperts = shape.mixture().isAt(layer);
            int first = layer;
            while (layer < shape.layers() && shape.mixture().isAt(layer) == hasExperts) {
                layer++;
            }
            stretches.add(new Stretch(hasExperts ? mixture : dense, layer - first));
        }
        return stretches;
    }

    /** Layer norms, one query-key-value matrix, GELU, dropout, and a bias on every linear map. */
    static Transformer gpt2(ModelShape shape) {
        int h = shape.hidden();
        int ffn = shape.ffn();
        List<Operator> attention = List.of(
                new Norm("input_norm", h, false),
                new Linear(
                        new Product("attention.qkv", h, shape.headsWidth() + 2 * shape.kvHidden(), true),
                        Split.OUTPUTS),
                new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), shape.headDim(), 0),
                new Linear(new Product("attention.output", shape.headsWidth(), h, true), Split.INPUTS),
                new Residual(h, true));
        List<Operator> feedForward = List.of(
                new Norm("ffn_norm", h, false),
                new Linear(new Product("ffn.up", h, ffn, true), Split.OUTPUTS),
                new Activation(ffn, false, Experts.NONE),
                new Linear(new Product("ffn.down", ffn, h, true), Split.INPUTS),
                new Residual(h, true));
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), h)),
                layers(shape, attention, feedForward, List.of()),
                head(shape, false));
    }

    /** The final norm and the logits of all tokens. */
    private static List<Block> head(ModelShape shape, boolean rms) {
        int h = shape.hidden();
        return List.of(new Block(
                List.of(new Norm("final_norm", h, rms), new Loss(h, shape.vocab(), shape.tiedEmbeddings()))));
    }

    /** Operators of a block without those that a model has not. */
    private static List<Operator> present(@Nullable Operator... operators) {
        return Stream.of(operators).filter(Objects::nonNull).toList();
    }

    /** RMS norms, query, key and value apart, queries and keys normed if the model has it so, rotary positions, a gated feed-forward block, and no bias. */
    static Transformer llama(ModelShape shape) {
        int h = shape.hidden();
        int ffn = shape.ffn();
        List<Operator> attention = shape.attention().latent().isPresent() ? latentAttention(shape) : attention(shape);
        List<Operator> feedForward = new ArrayList<>();
        feedForward.add(new Norm("ffn_norm", h, true));
        feedForward.addAll(gated("ffn", h, ffn, Experts.NONE));
        feedForward.add(new Residual(h, false));
        List<Operator> experts = shape.mixture().isPresent() ? experts(h, shape.mixture()) : List.of();
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), h)),
                layers(shape, attention, feedForward, experts),
                head(shape, true));
    }

    /** Experts of a token beside the one that all tokens go through. */
    private static List<Operator> experts(int h, Mixture mixture) {
        boolean shared = mixture.isShared();
        List<Operator> block = new ArrayList<>();
        block.add(new Norm("ffn_norm", h, true));
        if (shared) {
            block.addAll(gated("shared_expert", h, mixture.sharedFfn(), Experts.NONE));
        }
        block.add(new Router(h, mixture.experts(), !shared));
        block.addAll(gated("experts", h, mixture.ffn(), mixture.experts()));
        block.add(new Combine(h, mixture.experts()));
        block.add(new Residual(h, false));
        return block;
    }

    private static List<Operator> gated(String name, int h, int ffn, Experts experts) {
        return List.of(
                new Linear(
                        name + ".gate-up",
                        List.of(
                                new Product(name + ".gate", h, ffn, false, experts),
                                new Product(name + ".up", h, ffn, false, experts)),
                        Split.OUTPUTS),
                new Activation(ffn, true, experts),
                new Linear(new Product(name + ".down", ffn, h, false, experts), Split.INPUTS));
    }

    private static List<Operator> attention(ModelShape shape) {
        int h = shape.hidden();
        int kv = shape.kvHidden();
        return present(
                new Norm("input_norm", h, true),
                new Linear(
                        "attention.qkv",
                        List.of(
                                new Product("attention.query", h, shape.headsWidth(), false),
                                new Product("attention.key", h, kv, false),
                                new Product("attention.value", h, kv, false)),
                        Split.OUTPUTS),
                shape.attention().normed() ? new QueryKeyNorm(shape.heads(), shape.kvHeads(), shape.headDim()) : null,
                new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), shape.headDim(), shape.headDim()),
                new Linear(new Product("attention.output", shape.headsWidth(), h, false), Split.INPUTS),
                new Residual(h, false));
    }

    /** Narrow states, normed, and what each head has of them. */
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
        block.add(new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), latent.valueWidth(), latent.rotary()));
        block.add(new Linear(new Product("attention.output", shape.attentionWidth(), h, false), Split.INPUTS));
        block.add(new Residual(h, false));
        return block;
    }
}
