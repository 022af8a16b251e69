package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Operator.Activation;
import io.shardsim.simulator.workload.Operator.Attention;
import io.shardsim.simulator.workload.Operator.Embedding;
import io.shardsim.simulator.workload.Operator.Linear;
import io.shardsim.simulator.workload.Operator.Linear.Product;
import io.shardsim.simulator.workload.Operator.Loss;
import io.shardsim.simulator.workload.Operator.Norm;
import io.shardsim.simulator.workload.Operator.QueryKeyNorm;
import io.shardsim.simulator.workload.Operator.Residual;
import io.shardsim.simulator.workload.Operator.Split;
import io.shardsim.simulator.workload.Segment.Section;
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
public record Transformer(List<Operator> embedding, List<Stretch> stretches, List<Operator> output) {

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
        return blocks(section).stream().flatMap(List::stream).toList();
    }

    /** A section by its blocks; the embedding is one, and the head. */
    public List<List<Operator>> blocks(Section section) {
        return switch (section.place()) {
            case EMBEDDING -> List.of(embedding);
            case LAYER -> kinds().get(section.kind()).blocks();
            case HEAD -> List.of(output);
        };
    }

    /** Whether the model has a dropout. */
    public boolean hasDropout() {
        return kinds().stream()
                .flatMap(kind -> kind.operators().stream())
                .anyMatch(operator -> operator instanceof Residual residual && residual.dropout());
    }

    /** Layers that are all alike, of two blocks. */
    private static List<Stretch> alike(int layers, List<Operator> attention, List<Operator> feedForward) {
        return List.of(new Stretch(new LayerKind(List.of(attention, feedForward)), layers));
    }

    /** Layer norms, one query-key-value matrix, GELU, dropout, and a bias on every linear map. */
    static Transformer gpt2(ModelShape shape) {
        int h = shape.hidden();
        int ffn = shape.ffn();
        List<Operator> attention = List.of(
                new Norm("input_norm", h, false),
                new Linear(new Product("attention.qkv", h, h + 2 * shape.kvHidden(), true), Split.OUTPUTS),
                new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), false),
                new Linear(new Product("attention.output", h, h, true), Split.INPUTS),
                new Residual(h, true));
        List<Operator> feedForward = List.of(
                new Norm("ffn_norm", h, false),
                new Linear(new Product("ffn.up", h, ffn, true), Split.OUTPUTS),
                new Activation(ffn, false),
                new Linear(new Product("ffn.down", ffn, h, true), Split.INPUTS),
                new Residual(h, true));
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), h)),
                alike(shape.layers(), attention, feedForward),
                List.of(new Norm("final_norm", h, false), new Loss(h, shape.vocab(), shape.tiedEmbeddings())));
    }

    /** Operators of a block without those that a model has not. */
    private static List<Operator> present(@Nullable Operator... operators) {
        return Stream.of(operators).filter(Objects::nonNull).toList();
    }

    /** RMS norms, query, key and value apart, queries and keys normed if the model has it so, rotary positions, a gated feed-forward block, and no bias. */
    static Transformer llama(ModelShape shape) {
        int h = shape.hidden();
        int kv = shape.kvHidden();
        int ffn = shape.ffn();
        List<Operator> attention = present(
                new Norm("input_norm", h, true),
                new Linear(
                        "attention.qkv",
                        List.of(
                                new Product("attention.query", h, h, false),
                                new Product("attention.key", h, kv, false),
                                new Product("attention.value", h, kv, false)),
                        Split.OUTPUTS),
                shape.attention().normed() ? new QueryKeyNorm(shape.heads(), shape.kvHeads(), shape.headDim()) : null,
                new Attention(shape.heads(), shape.kvHeads(), shape.headDim(), true),
                new Linear(new Product("attention.output", h, h, false), Split.INPUTS),
                new Residual(h, false));
        List<Operator> feedForward = List.of(
                new Norm("ffn_norm", h, true),
                new Linear(
                        "ffn.gate-up",
                        List.of(new Product("ffn.gate", h, ffn, false), new Product("ffn.up", h, ffn, false)),
                        Split.OUTPUTS),
                new Activation(ffn, true),
                new Linear(new Product("ffn.down", ffn, h, false), Split.INPUTS),
                new Residual(h, false));
        return new Transformer(
                List.of(new Embedding(shape.vocab(), shape.maxPositions(), h)),
                alike(shape.layers(), attention, feedForward),
                List.of(new Norm("final_norm", h, true), new Loss(h, shape.vocab(), shape.tiedEmbeddings())));
    }
}
