package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Segment.Section;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The shape of a transformer: enough to count its parameters, tensors, flops and activations.
 *
 * <p>{@link Transformer} tells what operators it has; this adds up what they hold and cost.
 *
 * <p>Flops count a multiply and an add as two, as in [1]: a linear map of p weights costs 2p a token, scores and their
 * product with the values 4 s h a token (all s keys; a causal kernel that skips masked blocks does about half).
 *
 * <p>Leaves out what the embedding of an encoder keeps for its norm, biases or norms that break the two patterns, and ALiBi slopes.
 *
 * <p>[1] Narayanan et al., arXiv:2104.04473, appendix.
 *
 * @param hidden width of the residual stream, h
 * @param layers number of transformer layers, those of an encoder and a decoder together
 * @param form what its layers are made of
 * @param ffn width between the two linear maps of the feed-forward block
 * @param mixture experts in the place of that block
 * @param adapters what is trained in place of all of it
 */
public record ModelShape(
        int hidden,
        int layers,
        Form form,
        Heads attention,
        int ffn,
        Mixture mixture,
        Embeddings embeddings,
        Adapters adapters) {
    /** More shapes than a sweep has; a server that strangers ask for ever new ones forgets those before. */
    private static final int SHAPES_MAX = 256;

    /** By the shapes that were asked for. */
    private static final Map<ModelShape, Parts> PARTS = new ConcurrentHashMap<>();

    /** Models whose layers have the same operators. */
    public enum Family {
        GPT2,
        LLAMA
    }

    /**
     * What layers are made of, and what they are for.
     *
     * @param encoder what makes it an encoder
     * @param decoder behind an encoder
     * @param image what its samples are, if not tokens
     */
    public record Form(Family family, Encoder encoder, Decoder decoder, Image image) {
        Form(Family family) {
            this(family, Encoder.NONE, Decoder.NONE, Image.NONE);
        }
    }

    /**
     * What is around the layers.
     *
     * @param vocab rows of the token embedding
     * @param tied whether the logits reuse it
     * @param positions rows of the learned position embedding; 0 with rotary or no positions
     */
    public record Embeddings(int vocab, boolean tied, int positions) {}

    public ModelShape {
        requirePositive("hidden", hidden);
        requirePositive("layers", layers);
        requirePositive("heads", attention.queries());
        requirePositive("ffn", ffn);
        requirePositive("vocab", embeddings.vocab());
        requirePositive("kv_heads", attention.keyValues());
        requirePositive("head_dim", attention.width());
        if (attention.queries() % attention.keyValues() != 0) {
            throw new IllegalArgumentException(
                    "heads " + attention.queries() + " is not a multiple of kv_heads " + attention.keyValues());
        }
        if (attention.normed() && form.family() != Family.LLAMA) {
            throw new IllegalArgumentException("qk_norm true needs gated_ffn true");
        }
        if (attention.latent().isPresent() && form.family() != Family.LLAMA) {
            throw new IllegalArgumentException(
                    "kv_lora_rank " + attention.latent().keyValueRank() + " needs gated_ffn true");
        }
        if (attention.window().isPresent()
                && (form.family() != Family.LLAMA || attention.latent().isPresent())) {
            throw new IllegalArgumentException(
                    "sliding_window " + attention.window().tokens() + " needs gated_ffn true and no kv_lora_rank");
        }
        if (mixture.isPresent() && form.family() != Family.LLAMA) {
            throw new IllegalArgumentException("experts " + mixture.experts().number() + " needs gated_ffn true");
        }
        if (form.encoder().isPresent() && form.family() != Family.GPT2) {
            throw new IllegalArgumentException("masked_lm " + form.encoder().predicted() + " needs gated_ffn false");
        }
        boolean other = mixture.isPresent()
                || attention.latent().isPresent()
                || attention.normed()
                || form.encoder().isPresent();
        if (form.decoder().isPresent() && (other || form.decoder().layers() >= layers)) {
            throw new IllegalArgumentException(
                    "decoder_layers " + form.decoder().layers()
                            + " needs layers of an encoder, and no experts, kv_lora_rank, qk_norm or masked_lm");
        }
        if (form.image().isPresent()
                && (form.family() != Family.GPT2
                        || form.encoder().isPresent()
                        || form.decoder().isPresent()
                        || embeddings.tied())) {
            throw new IllegalArgumentException("patch_size " + form.image().patch()
                    + " needs gated_ffn false and tied_embeddings false, and no masked_lm or decoder_layers");
        }
        if (mixture.experts().perToken() > mixture.experts().number()) {
            throw new IllegalArgumentException("experts_per_token "
                    + mixture.experts().perToken() + " is more than experts "
                    + mixture.experts().number());
        }
        if (embeddings.positions() < 0) {
            throw new IllegalArgumentException(
                    "max_positions " + embeddings.positions() + " is negative; 0 means none learned");
        }
    }

    /** Trained whole. */
    public ModelShape(
            int hidden, int layers, Family family, Heads attention, int ffn, Mixture mixture, Embeddings embeddings) {
        this(hidden, layers, new Form(family), attention, ffn, mixture, embeddings, Adapters.NONE);
    }

    private static void requirePositive(String key, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(key + " " + value + " must be at least 1");
        }
    }

    /** Width of a head where heads fill the hidden width. */
    public static int headWidth(int hidden, int heads) {
        if (hidden % heads != 0) {
            throw new IllegalArgumentException("hidden " + hidden + " is not a multiple of heads " + heads);
        }
        return hidden / heads;
    }

    /** A GPT-2 style model: ffn 4h, as many key-value heads as heads, tied embeddings, learned positions. */
    public static ModelShape gpt2(int hidden, int layers, int heads, int vocab, int maxPositions) {
        return new ModelShape(
                hidden,
                layers,
                Family.GPT2,
                new Heads(heads, heads, headWidth(hidden, heads), false),
                4 * hidden,
                Mixture.NONE,
                new Embeddings(vocab, true, maxPositions));
    }

    /** A Llama style model: gated feed-forward block, rotary positions, separate output matrix. */
    public static ModelShape llama(int hidden, int layers, int heads, int ffn, int vocab, int kvHeads) {
        return new ModelShape(
                hidden,
                layers,
                Family.LLAMA,
                new Heads(heads, kvHeads, headWidth(hidden, heads), false),
                ffn,
                Mixture.NONE,
                new Embeddings(vocab, false, 0));
    }

    /** The same shape with another vocabulary. */
    public ModelShape withVocab(int other) {
        return with(layers, form, new Embeddings(other, embeddings.tied(), embeddings.positions()), adapters);
    }

    /** The same shape with another number of layers, of which a decoder has the same share. */
    public ModelShape withLayers(int other) {
        Decoder fewer = new Decoder(
                decoder().layers() * other / layers,
                decoder().tokens(),
                decoder().positionRanges());
        return with(other, new Form(family(), encoder(), fewer, image()), embeddings, adapters);
    }

    /** The same shape, frozen, with adapters. */
    public ModelShape withAdapters(Adapters others) {
        return with(layers, form, embeddings, others);
    }

    /** The same shape with tokens spread otherwise over its experts. */
    public ModelShape withLoad(ExpertLoad load) {
        return new ModelShape(hidden, layers, form, attention, ffn, mixture.with(load), embeddings, adapters);
    }

    /** Copies of tokens that come to the fullest rank of each layer with experts, over an even share. */
    public DoubleSummaryStatistics fullestRanks() {
        return IntStream.range(0, layers)
                .filter(mixture::isAt)
                .mapToDouble(
                        layer -> mixture.load().of(layer, mixture.experts()).fullest())
                .summaryStatistics();
    }

    /** The same shape on so many ranks that share out its experts. */
    public ModelShape amongExperts(int ranks) {
        return mixture.load().isPlain() ? this : withLoad(mixture.load().among(ranks));
    }

    /** The same shape as an encoder. */
    public ModelShape withEncoder(Encoder other) {
        return with(layers, new Form(family(), other, decoder(), image()), embeddings, adapters);
    }

    /** The same shape, whose last layers are a decoder's. */
    public ModelShape withDecoder(Decoder other) {
        return with(layers, new Form(family(), encoder(), other, image()), embeddings, adapters);
    }

    /** The same shape over images, which it tells to be of one of {@code vocab} classes. */
    public ModelShape withImage(Image other) {
        return with(layers, new Form(family(), encoder(), decoder(), other), embeddings, adapters);
    }

    /** The same shape, whose head computes all tokens or, of an encoder, those that are predicted. */
    public ModelShape withAllLogits(boolean all) {
        return encoder().isPresent() ? withEncoder(encoder().withAllLogits(all)) : this;
    }

    private ModelShape with(int newLayers, Form newForm, Embeddings newEmbeddings, Adapters newAdapters) {
        return new ModelShape(hidden, newLayers, newForm, attention, ffn, mixture, newEmbeddings, newAdapters);
    }

    public Family family() {
        return form.family();
    }

    public Encoder encoder() {
        return form.encoder();
    }

    public Image image() {
        return form.image();
    }

    /** Whether it is an encoder, or has one before a decoder. */
    public boolean hasEncoder() {
        return encoder().isPresent() || decoder().isPresent() || image().isPresent();
    }

    public Decoder decoder() {
        return form.decoder();
    }

    /** Query heads of a layer. */
    public int heads() {
        return attention.queries();
    }

    /** Key-value heads of a layer. */
    public int kvHeads() {
        return attention.keyValues();
    }

    /** Rows of the token embedding. */
    public int vocab() {
        return embeddings.vocab();
    }

    /** Whether the logits reuse the token embedding. */
    public boolean tiedEmbeddings() {
        return embeddings.tied();
    }

    /** Rows of the learned position embedding; 0 for none. */
    public int maxPositions() {
        return embeddings.positions();
    }

    /** Width of one attention head. */
    public int headDim() {
        return attention.width();
    }

    /** Width of all heads together. */
    public int headsWidth() {
        return heads() * headDim();
    }

    /** Width of all heads' results together. */
    public int attentionWidth() {
        return heads() * attention.valueWidth();
    }

    /** Width of all keys and values together. */
    public int keyValueWidth() {
        return kvHeads() * (headDim() + attention.valueWidth());
    }

    /** Width of all key heads together (of all value heads likewise, without latent attention). */
    public int kvHidden() {
        return kvHeads() * headDim();
    }

    /** What follows from a shape, and is asked for many times while a step is planned. */
    private record Parts(
            ModelShape shape,
            Transformer operators,
            List<LayerKind> kinds,
            int[] kindsOfLayers,
            List<List<ParameterTensor>> layers,
            List<ParameterTensor> embedding,
            List<ParameterTensor> output) {
        static Parts of(ModelShape shape) {
            Transformer operators = shape.adapters().on(whole(shape));
            return new Parts(
                    shape,
                    operators,
                    operators.kinds(),
                    operators.kindsOfLayers(),
                    operators.kinds().stream()
                            .map(kind -> tensors(kind.operators()))
                            .toList(),
                    tensors(operators.embedding()),
                    tensors(operators.of(Section.HEAD)));
        }
    }

    /** Of what tells most shapes apart: what is derived of a shape is looked up for every operation of a plan. */
    @Override
    public int hashCode() {
        return 31 * (31 * (31 * hidden + layers) + ffn) + embeddings.vocab();
    }

    private static Transformer whole(ModelShape shape) {
        if (shape.decoder().isPresent()) {
            return Transformer.t5(shape);
        }
        if (shape.image().isPresent()) {
            return Transformer.vit(shape);
        }
        return switch (shape.family()) {
            case GPT2 -> shape.encoder().isPresent() ? Transformer.bert(shape) : Transformer.gpt2(shape);
            case LLAMA -> Transformer.llama(shape);
        };
    }

    private Parts parts() {
        if (PARTS.size() > SHAPES_MAX) {
            PARTS.clear();
        }
        return PARTS.computeIfAbsent(this, Parts::of);
    }

    /** The shape that was asked for first of all that equal it: what is derived of it is found at once. */
    public ModelShape shared() {
        return parts().shape();
    }

    /** Its operators. */
    public Transformer operators() {
        return parts().operators();
    }

    /** Which of its kinds of layers a layer is, from 0. */
    public int kindOf(int layer) {
        return parts().kindsOfLayers()[layer];
    }

    /** What a layer is made of. */
    public LayerKind kind(int layer) {
        return parts().kinds().get(kindOf(layer));
    }

    /** The parameter tensors of a layer, in the order in which the forward pass needs them. */
    public List<ParameterTensor> layerTensors(int layer) {
        return parts().layers().get(kindOf(layer));
    }

    /** Token and position embedding. */
    public List<ParameterTensor> embeddingTensors() {
        return parts().embedding();
    }

    /** Final norm and, unless it is tied to the embedding, the output matrix. */
    public List<ParameterTensor> outputTensors() {
        return parts().output();
    }

    private static List<ParameterTensor> tensors(List<Operator> operators) {
        return operators.stream()
                .flatMap(operator -> operator.parameters().stream())
                .toList();
    }

    /** Parameters of a layer. */
    public long layerParameters(int layer) {
        return layerParameters(layer, 1);
    }

    /** Parameters of a layer that a rank of a tensor-parallel group holds. */
    public long layerParameters(int layer, int tensorParallel) {
        return sum(layerTensors(layer), tensorParallel);
    }

    /** Parameters of the token and position embedding. */
    public long embeddingParameters() {
        return embeddingParameters(1);
    }

    /** Parameters of the token and position embedding that a rank of a tensor-parallel group holds. */
    public long embeddingParameters(int tensorParallel) {
        return sum(embeddingTensors(), tensorParallel);
    }

    /** Parameters of the final norm and, unless tied, the output matrix. */
    public long outputParameters() {
        return outputParameters(1);
    }

    /** Parameters of the final norm and output matrix that a rank of a tensor-parallel group holds. */
    public long outputParameters(int tensorParallel) {
        return sum(outputTensors(), tensorParallel);
    }

    /** All parameters, N; adapters count. */
    public long parameters() {
        return parameters(tensor -> true);
    }

    /** Of all parameters those that are trained. */
    public long trainedParameters() {
        return parameters(ParameterTensor::isTrained);
    }

    private long parameters(Predicate<ParameterTensor> which) {
        long elements = sum(embeddingTensors(), which) + sum(outputTensors(), which);
        for (Stretch stretch : operators().stretches()) {
            long ofLayer = sum(tensors(stretch.kind().operators()), which);
            elements = Math.addExact(elements, Math.multiplyExact(ofLayer, (long) stretch.layers()));
        }
        return elements;
    }

    /** Parameters without those of experts that a token does not go through. */
    public long activeParameters() {
        long idle = 0;
        for (Stretch stretch : operators().stretches()) {
            idle += stretch.layers()
                    * stretch.kind().operators().stream()
                            .mapToLong(Operator::idleWeights)
                            .sum();
        }
        return parameters() - idle;
    }

    /**
     * Active parameters as the operations of a token count them: those of a head by the share of tokens that are predicted, or that stand for a sample.
     */
    public double countedParameters(int sequenceLength) {
        double spared = 0;
        Transformer counted = withAllLogits(false).operators();
        for (Stretch stretch : counted.stretches()) {
            spared += stretch.layers() * spared(stretch.kind().blocks(), sequenceLength);
        }
        return activeParameters() - spared - spared(counted.output(), sequenceLength);
    }

    private static double spared(List<Block> blocks, int sequenceLength) {
        double spared = 0;
        for (Block block : blocks) {
            spared += (1 - (double) block.tokens().of(sequenceLength) / sequenceLength) * block.sum(Operator::weights);
        }
        return spared;
    }

    /** Operations of attention cores for each token, forward and backward; a causal mask is not taken off. */
    public double attentionFlopsPerToken(int sequenceLength) {
        double flops = 0;
        for (Stretch stretch : operators().stretches()) {
            flops += stretch.layers()
                    * flops(
                            stretch.kind().blocks(),
                            1,
                            sequenceLength,
                            (operator, keys) -> operator instanceof Attention ? 3 * operator.flops(keys) : 0);
        }
        return flops;
    }

    /** Tokens whose logits a rank computes, of so many tokens of so many samples. */
    public long lossTokens(int samples, int sequenceLength) {
        return operators().output().stream()
                .filter(block -> block.operators().stream().anyMatch(Loss.class::isInstance))
                .mapToLong(block -> (long) samples * block.tokens().of(sequenceLength))
                .sum();
    }

    private static long sum(List<ParameterTensor> tensors, Predicate<ParameterTensor> which) {
        return sum(tensors.stream().filter(which).toList(), 1);
    }

    private static long sum(List<ParameterTensor> tensors, int tensorParallel) {
        long elements = 0;
        for (ParameterTensor tensor : tensors) {
            elements = Math.addExact(elements, tensor.elements(tensorParallel, 1));
        }
        return elements;
    }

    /** Forward flops of a layer for a number of tokens in sequences of the given length, all keys counted. */
    public double layerForwardFlops(int layer, long tokens, int sequenceLength) {
        return flops(kind(layer).blocks(), tokens, sequenceLength, Operator::flops);
    }

    /** Forward flops of the logits, and of what else comes after the layers. */
    public double logitsForwardFlops(long tokens, int sequenceLength) {
        return flops(operators().output(), tokens, sequenceLength, Operator::flops);
    }

    private static double flops(List<Block> blocks, long tokens, int sequenceLength, Block.OfToken ofToken) {
        Map<Span, Long> sums = new LinkedHashMap<>();
        blocks.forEach(block -> sums.merge(block.tokens(), block.sum(ofToken, sequenceLength), Long::sum));
        double flops = 0;
        for (Map.Entry<Span, Long> sum : sums.entrySet()) {
            int ofSample = sum.getKey().of(sequenceLength);
            double share = ofSample == sequenceLength ? 1 : (double) ofSample / sequenceLength;
            flops += share * ((double) sum.getValue() * tokens);
        }
        return flops;
    }

    /** Forward flops of the whole model; a full recomputation is once more the layers. */
    public double forwardFlops(long tokens, int sequenceLength) {
        return flops(tokens, sequenceLength, Operator::flops);
    }

    /** Backward flops of the whole model: twice those of forward where all is trained. */
    public double backwardFlops(long tokens, int sequenceLength) {
        return flops(tokens, sequenceLength, Operator::backwardFlops);
    }

    private double flops(long tokens, int sequenceLength, Block.OfToken ofToken) {
        double ofLayers = 0;
        for (Stretch stretch : operators().stretches()) {
            ofLayers += stretch.layers() * flops(stretch.kind().blocks(), tokens, sequenceLength, ofToken);
        }
        // Nothing before the embedding has a gradient.
        double ofEmbedding =
                flops(List.of(new Block(operators().embedding())), tokens, sequenceLength, Operator::flops);
        return ofEmbedding + ofLayers + flops(operators().output(), tokens, sequenceLength, ofToken);
    }
}
