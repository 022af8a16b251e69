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
 * Shape of a transformer: enough to count its parameters, tensors, flops and activations.
 *
 * <p>{@link Transformer} lists its operators; this class sums their parameters and costs.
 *
 * <p>Flops count a multiply and an add as two, as in [1]: a linear map of p weights costs 2p per token, scores and their GEMM with the values 4 s h
 * per token (all s keys; a causal kernel that skips masked blocks does about half).
 *
 * <p>Leaves out ALiBi slopes, the tensors that an encoder's embedding saves for its norm, and biases or norms that neither {@link Family} has.
 *
 * <p>[1] Narayanan et al., arXiv:2104.04473, appendix.
 *
 * @param hidden width of the residual stream, h
 * @param layers number of transformer layers, encoder and decoder together
 * @param form structure of its layers
 * @param ffn width between the two linear maps of the FFN
 * @param mixture experts that replace the FFN
 * @param adapters adapters to train instead of the whole model
 */
public record ModelShape(
        int hidden,
        int layers,
        Form form,
        Heads attention,
        int ffn,
        MixtureOfExperts mixture,
        Embeddings embeddings,
        Adapters adapters) {
    /** Maximum number of shapes remembered, more than a sweep has; a server forgets the older ones. */
    private static final int SHAPES_MAX = 256;

    /** Derived data by shape. */
    private static final Map<ModelShape, Parts> PARTS = new ConcurrentHashMap<>();

    /** Model family: models whose layers have the same operators. */
    public enum Family {
        GPT2,
        LLAMA
    }

    /**
     * Structure and purpose of layers.
     *
     * @param encoder properties of an encoder
     * @param decoder decoder after an encoder
     * @param image image samples, instead of tokens
     * @param mtpLayers multi-token prediction modules: the last layers, each with its own logits
     */
    public record Form(Family family, Encoder encoder, Decoder decoder, Image image, int mtpLayers) {
        Form(Family family) {
            this(family, Encoder.NONE, Decoder.NONE, Image.NONE);
        }

        Form(Family family, Encoder encoder, Decoder decoder, Image image) {
            this(family, encoder, decoder, image, 0);
        }
    }

    /**
     * Parts of a model before and after the layers.
     *
     * @param vocab rows of the token embedding
     * @param tied whether the logits reuse the token embedding
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
        if (form.mtpLayers() > 0 && (form.family() != Family.LLAMA || form.mtpLayers() >= layers)) {
            throw new IllegalArgumentException(
                    "mtp_layers " + form.mtpLayers() + " needs gated_ffn true and layers before it");
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
            throw new IllegalArgumentException(form.image().key()
                    + " needs gated_ffn false and tied_embeddings false, and no masked_lm or decoder_layers");
        }
        if (form.image().isConvolved() && layers != form.image().layers()) {
            throw new IllegalArgumentException(
                    "layers " + layers + " is not " + form.image().layers() + ", the stem and the blocks of stages "
                            + form.image().stages());
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

    /** Creates a shape without adapters, fully trained. */
    public ModelShape(
            int hidden,
            int layers,
            Family family,
            Heads attention,
            int ffn,
            MixtureOfExperts mixture,
            Embeddings embeddings) {
        this(hidden, layers, new Form(family), attention, ffn, mixture, embeddings, Adapters.NONE);
    }

    private static void requirePositive(String key, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(key + " " + value + " must be at least 1");
        }
    }

    /** Returns the width of a head if heads fill the hidden width. */
    public static int headWidth(int hidden, int heads) {
        if (hidden % heads != 0) {
            throw new IllegalArgumentException("hidden " + hidden + " is not a multiple of heads " + heads);
        }
        return hidden / heads;
    }

    /** Creates a GPT-2 style model: FFN 4h, as many key-value heads as heads, tied embeddings, learned positions. */
    public static ModelShape gpt2(int hidden, int layers, int heads, int vocab, int maxPositions) {
        return new ModelShape(
                hidden,
                layers,
                Family.GPT2,
                new Heads(heads, heads, headWidth(hidden, heads), false),
                4 * hidden,
                MixtureOfExperts.NONE,
                new Embeddings(vocab, true, maxPositions));
    }

    /** Creates a Llama style model: gated FFN, rotary positions, untied output matrix. */
    public static ModelShape llama(int hidden, int layers, int heads, int ffn, int vocab, int kvHeads) {
        return new ModelShape(
                hidden,
                layers,
                Family.LLAMA,
                new Heads(heads, kvHeads, headWidth(hidden, heads), false),
                ffn,
                MixtureOfExperts.NONE,
                new Embeddings(vocab, false, 0));
    }

    /** Returns this shape with another vocabulary. */
    public ModelShape withVocab(int other) {
        return with(layers, form, new Embeddings(other, embeddings.tied(), embeddings.positions()), adapters);
    }

    /** Returns this shape with another number of layers; the decoder keeps its share. */
    public ModelShape withLayers(int other) {
        Decoder fewer = new Decoder(
                decoder().layers() * other / layers,
                decoder().tokens(),
                decoder().positionRanges());
        int modules = Math.min(form.mtpLayers(), other - 1);
        return with(other, new Form(family(), encoder(), fewer, image(), modules), embeddings, adapters);
    }

    /** Returns this shape with multi-token prediction modules after its layers. */
    public ModelShape withMtpLayers(int modules) {
        Form longer = new Form(family(), encoder(), decoder(), image(), modules);
        return with(layers - form.mtpLayers() + modules, longer, embeddings, adapters);
    }

    /** Returns this shape, frozen, with adapters. */
    public ModelShape withAdapters(Adapters others) {
        return with(layers, form, embeddings, others);
    }

    /** Returns this shape with another expert load. */
    public ModelShape withLoad(ExpertLoad load) {
        return new ModelShape(hidden, layers, form, attention, ffn, mixture.with(load), embeddings, adapters);
    }

    /** Returns, over the layers with experts, the token copies on the fullest rank relative to an even share. */
    public DoubleSummaryStatistics fullestRanks() {
        return IntStream.range(0, layers)
                .filter(mixture::isAt)
                .mapToDouble(
                        layer -> mixture.load().of(layer, mixture.experts()).fullest())
                .summaryStatistics();
    }

    /** Returns this shape with experts distributed over a number of ranks. */
    public ModelShape amongExperts(int ranks) {
        return mixture.load().isPlain() ? this : withLoad(mixture.load().among(ranks));
    }

    /** Returns this shape as an encoder. */
    public ModelShape withEncoder(Encoder other) {
        return with(layers, new Form(family(), other, decoder(), image()), embeddings, adapters);
    }

    /** Returns this shape with a decoder as its last layers. */
    public ModelShape withDecoder(Decoder other) {
        return with(layers, new Form(family(), encoder(), other, image()), embeddings, adapters);
    }

    /** Returns this shape as an image classifier with {@code vocab} classes. */
    public ModelShape withImage(Image other) {
        return with(layers, new Form(family(), encoder(), decoder(), other), embeddings, adapters);
    }

    /** Returns this shape with a head over all tokens or, for an encoder, over predicted tokens. */
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

    /** Returns whether it is an encoder, or has one before a decoder. */
    public boolean hasEncoder() {
        return encoder().isPresent() || decoder().isPresent() || image().isPresent();
    }

    public Decoder decoder() {
        return form.decoder();
    }

    /** Returns the query heads of a layer. */
    public int heads() {
        return attention.queries();
    }

    /** Returns the key-value heads of a layer. */
    public int kvHeads() {
        return attention.keyValues();
    }

    /** Returns the rows of the token embedding. */
    public int vocab() {
        return embeddings.vocab();
    }

    /** Returns whether the logits reuse the token embedding. */
    public boolean tiedEmbeddings() {
        return embeddings.tied();
    }

    /** Returns whether its end uses the token embedding too: for its logits, or in a multi-token prediction module. */
    public boolean usesEmbeddingTwice() {
        return embeddings.tied() || form.mtpLayers() > 0;
    }

    /** Returns the rows of the learned position embedding; 0 for none. */
    public int maxPositions() {
        return embeddings.positions();
    }

    /** Returns the width of one attention head. */
    public int headDim() {
        return attention.width();
    }

    /** Returns the total width of all heads. */
    public int headsWidth() {
        return heads() * headDim();
    }

    /** Returns the total width of all heads' results. */
    public int attentionWidth() {
        return heads() * attention.valueWidth();
    }

    /** Returns the total width of keys and values. */
    public int keyValueWidth() {
        return kvHeads() * (headDim() + attention.valueWidth());
    }

    /** Returns the total width of key heads (equal to value heads without latent attention). */
    public int kvHidden() {
        return kvHeads() * headDim();
    }

    /** Data derived from a shape, needed many times while a step is planned. */
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

    /** Hashes the fields that distinguish most shapes: derived data is looked up for every operation of a plan. */
    @Override
    public int hashCode() {
        return 31 * (31 * (31 * hidden + layers) + ffn) + embeddings.vocab();
    }

    private static Transformer whole(ModelShape shape) {
        if (shape.decoder().isPresent()) {
            return Transformer.t5(shape);
        }
        if (shape.image().isConvolved()) {
            return ResNet.of(shape);
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

    /** Returns the first requested instance among equal shapes, whose derived data is found immediately. */
    public ModelShape shared() {
        return parts().shape();
    }

    /** Returns its operators. */
    public Transformer operators() {
        return parts().operators();
    }

    /** Returns a layer's index among the kinds of layers, from 0. */
    public int kindOf(int layer) {
        return parts().kindsOfLayers()[layer];
    }

    /** Returns the kind of a layer. */
    public LayerKind kind(int layer) {
        return parts().kinds().get(kindOf(layer));
    }

    /** Returns the parameter tensors of a layer, in forward order. */
    public List<ParameterTensor> layerTensors(int layer) {
        return parts().layers().get(kindOf(layer));
    }

    /** Returns the tensors of token and position embedding. */
    public List<ParameterTensor> embeddingTensors() {
        return parts().embedding();
    }

    /** Returns the tensors of the final norm and, unless tied, the output matrix. */
    public List<ParameterTensor> outputTensors() {
        return parts().output();
    }

    private static List<ParameterTensor> tensors(List<Operator> operators) {
        return operators.stream()
                .flatMap(operator -> operator.parameters().stream())
                .toList();
    }

    /** Returns the parameters of a layer. */
    public long layerParameters(int layer) {
        return layerParameters(layer, 1);
    }

    /** Returns the parameters of a layer on a tensor-parallel rank. */
    public long layerParameters(int layer, int tensorParallel) {
        return sum(layerTensors(layer), tensorParallel);
    }

    /** Returns the parameters of the token and position embedding. */
    public long embeddingParameters() {
        return embeddingParameters(1);
    }

    /** Returns the parameters of the token and position embedding on a tensor-parallel rank. */
    public long embeddingParameters(int tensorParallel) {
        return sum(embeddingTensors(), tensorParallel);
    }

    /** Returns the parameters of the final norm and, unless tied, the output matrix. */
    public long outputParameters() {
        return outputParameters(1);
    }

    /** Returns the parameters of the final norm and output matrix on a tensor-parallel rank. */
    public long outputParameters(int tensorParallel) {
        return sum(outputTensors(), tensorParallel);
    }

    /** Returns all parameters, N, including adapters. */
    public long parameters() {
        return parameters(tensor -> true);
    }

    /** Returns the trained parameters. */
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

    /** Returns the trained matrices of one layer of a stretch, without embeddings and adapters. */
    public List<Linear.Product> matrices(Stretch stretch) {
        return stretch.kind().operators().stream()
                .filter(operator ->
                        operator instanceof Linear linear && linear.tuning().isTrained())
                .flatMap(operator -> ((Linear) operator).products().stream())
                .toList();
    }

    /** Returns the share of trained parameters that are matrices within layers. */
    public double matrixShare() {
        double weights = operators().stretches().stream()
                .mapToDouble(stretch -> stretch.layers()
                        * (double) matrices(stretch).stream()
                                .mapToLong(Linear.Product::held)
                                .sum())
                .sum();
        return weights / trainedParameters();
    }

    /** Returns the parameters without experts that a token is not routed to. */
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
     * Returns the active parameters, each weighted by the share of a sample's tokens that use it: a head's, for example, by the share of predicted
     * tokens. Logits of a multi-token prediction module use the head's weights once more.
     */
    public double countedParameters(int sequenceLength) {
        double spared = 0;
        Transformer counted = withAllLogits(false).operators();
        for (Stretch stretch : counted.stretches()) {
            spared += stretch.layers() * spared(stretch.kind().blocks(), sequenceLength);
        }
        double again = (double) form.mtpLayers() * vocab() * hidden;
        return activeParameters() + again - spared - spared(counted.output(), sequenceLength);
    }

    private static double spared(List<Block> blocks, int sequenceLength) {
        double spared = 0;
        for (Block block : blocks) {
            spared += (1 - (double) block.tokens().of(sequenceLength) / sequenceLength) * block.sum(Operator::weights);
        }
        return spared;
    }

    /** Returns the flops of attention cores per token, forward and backward, ignoring the causal mask. */
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

    /** Returns the tokens whose logits a rank computes. */
    public long lossTokens(int samples, int sequenceLength) {
        return operators().output().stream()
                .filter(Block::hasLoss)
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

    /** Returns the forward flops of a layer at a sequence length, ignoring the causal mask. */
    public double layerForwardFlops(int layer, long tokens, int sequenceLength) {
        return flops(kind(layer).blocks(), tokens, sequenceLength, Operator::flops);
    }

    /** Returns the forward flops of everything after the layers, logits included. */
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

    /** Returns the forward flops of the whole model; full recomputation adds the layers once more. */
    public double forwardFlops(long tokens, int sequenceLength) {
        return flops(tokens, sequenceLength, Operator::flops);
    }

    /** Returns the backward flops of the whole model: twice the forward's for full training. */
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
