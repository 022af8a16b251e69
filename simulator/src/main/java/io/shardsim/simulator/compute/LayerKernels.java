package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.Kernel.FlashAttention;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.compute.Kernel.Pass;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels that one rank launches for one micro-batch of a transformer, in order.
 *
 * <p>Tensor parallelism splits heads, feed-forward width and vocabulary by its degree t [1]; norms, residuals and dropout outside
 * the attention stay whole unless the sequence is split as well [2]. The collectives between them are not kernels of this list.
 *
 * <p>The gradients of a block's first weights come last in its backward; Megatron-LM makes them before that of the norm, which changes no sum.
 *
 * <p>Context parallelism splits the tokens of a sample among c ranks, each with an early and a late piece, so that attention of all of them costs
 * the same [4]. It goes in c steps, each over the keys and values of one rank; their results are merged in memory [5].
 *
 * <p>Leaves out the mask and position tensors that are made once a step.
 *
 * <p>[1] Shoeybi et al., Megatron-LM, arXiv:1909.08053, section 3. [2] Korthikanti et al., arXiv:2205.05198, section 4.2. [3] NVIDIA/TransformerEngine v1.11,
 * transformer_engine/pytorch/module/linear.py and base.py (initialize_ub: ring exchange, pipeline and bulk), csrc/comm_gemm_overlap.h (_stream_compute). [4] Brandon et al., Striped Attention, arXiv:2311.09431, section 2.2; Megatron-LM,
 * megatron/core/utils.py, get_batch_on_this_cp_rank. [5] TransformerEngine v1.11, transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P.
 *
 * @param shape the model
 * @param workload lengths, batch and splits
 * @param profile the framework that issues them
 */
public record LayerKernels(ModelShape shape, Workload workload, FrameworkProfile profile) {

    /**
     * What one rank is given to compute.
     *
     * @param sequenceLength tokens of a sample
     * @param microBatch samples of one forward and backward
     * @param tensorParallel degree of tensor parallelism, t
     * @param contextParallel degree of context parallelism, c
     * @param sequenceParallel whether norms and dropouts are split along the sequence too
     * @param wholeLogits whether every rank computes the loss of the whole vocabulary rather than of its part
     * @param attention how scores are computed
     */
    public record Workload(
            int sequenceLength,
            int microBatch,
            int tensorParallel,
            int contextParallel,
            boolean sequenceParallel,
            boolean wholeLogits,
            AttentionKind attention) {

        public Workload {
            if (sequenceLength < 1 || microBatch < 1 || tensorParallel < 1 || contextParallel < 1) {
                throw new IllegalArgumentException("sequence_length " + sequenceLength + ", micro_batch " + microBatch
                        + ", tensor_parallel " + tensorParallel + " and context_parallel " + contextParallel
                        + " must each be at least 1");
            }
            if (contextParallel > 1 && attention != AttentionKind.FLASH) {
                throw new IllegalArgumentException("context_parallel " + contextParallel + " needs attention flash");
            }
        }

        /** One rank without tensor parallelism. */
        public static Workload of(int sequenceLength, int microBatch, AttentionKind attention) {
            return new Workload(sequenceLength, microBatch, 1, 1, false, false, attention);
        }

        /** Tokens of a micro-batch that the rank has. */
        public long tokens() {
            return (long) rankSequence() * microBatch;
        }

        /** Tokens of a sample that the rank has. */
        int rankSequence() {
            return sequenceLength / contextParallel;
        }
    }

    public LayerKernels {
        if (shape.heads() % workload.tensorParallel() != 0) {
            throw new IllegalArgumentException(
                    "tensor_parallel " + workload.tensorParallel() + " does not divide heads " + shape.heads());
        }
    }

    /** What to read before trusting times by that calibration: one sentence each; empty inside its range. */
    public List<String> remarks(GpuCalibration calibration) {
        GpuCalibration.Range range = calibration.range();
        List<String> remarks = new ArrayList<>();
        if (!range.remark().isEmpty()) {
            remarks.add(range.remark());
        }
        if (tokens() < range.tokensLeast() || tokens() > range.tokensMost()) {
            remarks.add("micro-batch of " + tokens() + " tokens lies outside the calibrated " + range.tokensLeast()
                    + " to " + range.tokensMost());
        }
        if (shape.hidden() < range.hiddenLeast() || shape.hidden() > range.hiddenMost()) {
            remarks.add("hidden width " + shape.hidden() + " lies outside the calibrated " + range.hiddenLeast()
                    + " to " + range.hiddenMost());
        }
        if (profile.eightBitProducts()) {
            remarks.add(
                    "products of 8 bits: MFU counts against the 16-bit peak, and what is kept for them is counted in 16"
                            + " bits");
        }
        if (profile.isSingle()) {
            remarks.add(
                    "no published run in 32 bits has been compared with; matrix products take the data-sheet rate of the vector units, as"
                            + " PyTorch does unless allow_tf32 is set, and MFU still counts against the 16-bit peak");
        }
        return List.copyOf(remarks);
    }

    /** Forward of one layer. */
    public List<Kernel> forward() {
        return joined(attentionBlockForward(), feedForwardBlockForward());
    }

    /** First norm, attention and residual addition. */
    public List<Kernel> attentionBlockForward() {
        Sequence kernels = new Sequence();
        addNormForward(kernels);
        addLinearsForward(kernels, inputProjections());
        addHeadsForward(kernels);
        kernels.addAll(attentionForward());
        addLinearForward(kernels, outputProjection());
        addResidualForward(kernels);
        return kernels.list;
    }

    /** Second norm, feed-forward block and residual addition. */
    public List<Kernel> feedForwardBlockForward() {
        Sequence kernels = new Sequence();
        kernels.addAll(feedForwardToActivation(ffnInputs()));
        addLinearForward(kernels, ffnOutput());
        addResidualForward(kernels);
        return kernels.list;
    }

    /** What runs again before the backward of a layer that is checkpointed so. */
    public List<Kernel> recompute(Checkpointing checkpointing) {
        return switch (checkpointing) {
            case NONE -> List.of();
            case SELECTIVE -> attentionForward();
            case OPERATOR, FULL ->
                joined(attentionBlockRecompute(checkpointing), feedForwardBlockRecompute(checkpointing));
        };
    }

    /** Attention block as a checkpoint of the layer's input runs it again. */
    public List<Kernel> attentionBlockRecompute(Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.FULL) {
            return attentionBlockForward();
        }
        Sequence kernels = new Sequence();
        addNormForward(kernels);
        addLinearsForward(kernels, recomputed(inputProjections()));
        addHeadsForward(kernels);
        addLinearsForward(kernels, recomputed(List.of(outputProjection())));
        addResidualForward(kernels);
        return kernels.list;
    }

    /** Feed-forward block as a checkpoint of the layer's input runs it again. */
    public List<Kernel> feedForwardBlockRecompute(Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.OPERATOR) {
            return feedForwardToActivation(recomputed(ffnInputs()));
        }
        return profile.recomputeStopsEarly() ? feedForwardToActivation(ffnInputs()) : feedForwardBlockForward();
    }

    /** Of these products, those that {@link Checkpointing#OPERATOR} does not keep: every second one of the layer, and all with a bias. */
    private List<Linear> recomputed(List<Linear> linears) {
        List<Linear> inOrder = new ArrayList<>(inputProjections());
        inOrder.add(outputProjection());
        inOrder.addAll(ffnInputs());
        return linears.stream()
                .filter(linear -> linear.bias() || inOrder.indexOf(linear) % 2 == 1)
                .toList();
    }

    /** From the second norm to the input of the layer's last product. */
    private List<Kernel> feedForwardToActivation(List<Linear> inputs) {
        Sequence kernels = new Sequence();
        addNormForward(kernels);
        addLinearsForward(kernels, inputs);
        kernels.add(shape.gatedFfn() ? Operator.GATED_ACTIVATION_FORWARD : Operator.ACTIVATION_FORWARD, ffnElements());
        return kernels.list;
    }

    /** Backward of one layer, recomputation not included. */
    public List<Kernel> backward() {
        return joined(feedForwardBlockBackward(), attentionBlockBackward());
    }

    /** Backward of the feed-forward block. */
    public List<Kernel> feedForwardBlockBackward() {
        return joined(feedForwardInputGradient(), feedForwardWeightGradients());
    }

    /** Backward of the feed-forward block up to the gradient of its input. */
    public List<Kernel> feedForwardInputGradient() {
        Sequence kernels = new Sequence();
        addResidualBackward(kernels);
        addLinearBackward(kernels, ffnOutput());
        kernels.add(
                shape.gatedFfn() ? Operator.GATED_ACTIVATION_BACKWARD : Operator.ACTIVATION_BACKWARD, ffnElements());
        addInputGradients(kernels, ffnInputs());
        addNormBackward(kernels);
        return kernels.list;
    }

    /** Gradients of the weights that the input of the feed-forward block meets first. */
    public List<Kernel> feedForwardWeightGradients() {
        return weightGradients(ffnInputs());
    }

    /** Backward of the attention block. */
    public List<Kernel> attentionBlockBackward() {
        return joined(attentionInputGradient(), attentionWeightGradients());
    }

    /** Backward of the attention block up to the gradient of its input. */
    public List<Kernel> attentionInputGradient() {
        Sequence kernels = new Sequence();
        addResidualBackward(kernels);
        addLinearBackward(kernels, outputProjection());
        kernels.addAll(attentionBackward());
        if (shape.gatedFfn()) {
            kernels.add(Operator.ROTARY_BACKWARD, rotaryElements());
        }
        kernels.add(Operator.LAYOUT_BACKWARD, splitHidden());
        addInputGradients(kernels, inputProjections());
        addNormBackward(kernels);
        return kernels.list;
    }

    /** Gradients of the weights that the input of the attention block meets first. */
    public List<Kernel> attentionWeightGradients() {
        return weightGradients(inputProjections());
    }

    /** Of an attention block, forward or what is computed again of it. */
    public Stretches attentionStretches(List<Kernel> block) {
        return stretches(block, forward(inputProjections()), forward(List.of(outputProjection())));
    }

    /** Of a feed-forward block, forward or what is computed again of it. */
    public Stretches feedForwardStretches(List<Kernel> block) {
        return stretches(block, forward(ffnInputs()), forward(List.of(ffnOutput())));
    }

    /** Of the attention block's backward. */
    public Stretches attentionBackwardStretches() {
        return backwardStretches(attentionInputGradient(), outputProjection(), attentionWeightGradients());
    }

    /** Of the feed-forward block's backward. */
    public Stretches feedForwardBackwardStretches() {
        return backwardStretches(feedForwardInputGradient(), ffnOutput(), feedForwardWeightGradients());
    }

    /**
     * A block by what a tensor-parallel group may exchange beside it. Where products wait for parts of the sequence, or hand them on, they go in as many
     * pieces as the group has ranks, so that all of them but one have an exchange beside them; in backward, what the block hands on goes beside whole
     * products [3].
     *
     * @param entry beside the exchange before the block
     * @param middle beside none
     * @param exit beside the exchange after the block
     */
    public record Stretches(List<Kernel> entry, List<Kernel> middle, List<Kernel> exit) {}

    private Stretches stretches(List<Kernel> block, List<Kernel> first, List<Kernel> last) {
        List<Kernel> middle = new ArrayList<>(block);
        return new Stretches(cut(first, middle), middle, cut(last, middle));
    }

    private Stretches backwardStretches(List<Kernel> block, Linear last, List<Kernel> exit) {
        List<Kernel> middle = new ArrayList<>(block);
        return new Stretches(cut(List.of(last.inputGradient(tokens())), middle), middle, exit);
    }

    /** Leaves one piece of each product where it was, and returns the others, which share waves: they go on several streams [3]. */
    private List<Kernel> cut(List<Kernel> products, List<Kernel> from) {
        int pieces = workload.tensorParallel();
        List<Kernel> others = new ArrayList<>();
        for (Kernel product : products) {
            int at = from.indexOf(product);
            if (at >= 0) {
                from.set(at, ((Matmul) product).piece(pieces));
                others.add(((Matmul) product).otherPieces(pieces));
            }
        }
        return others;
    }

    private List<Kernel> forward(List<Linear> linears) {
        return linears.stream().map(linear -> linear.forward(tokens())).toList();
    }

    /** Scores to context: what selective checkpointing computes again. */
    public List<Kernel> attentionForward() {
        Sequence kernels = new Sequence();
        long s = workload.sequenceLength();
        if (workload.attention() == AttentionKind.FLASH) {
            return flashAttention(Pass.FORWARD);
        }
        kernels.add(new Matmul("attention.scores", localHeads(), s, s, shape.headDim()));
        kernels.add(Operator.SOFTMAX_FORWARD, scores());
        if (profile.dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_FORWARD, scores());
        }
        kernels.add(new Matmul("attention.context", localHeads(), s, shape.headDim(), s));
        return kernels.list;
    }

    private List<Kernel> attentionBackward() {
        Sequence kernels = new Sequence();
        long s = workload.sequenceLength();
        long d = shape.headDim();
        if (workload.attention() == AttentionKind.FLASH) {
            return flashAttention(Pass.BACKWARD);
        }
        kernels.add(new Matmul("attention.context.probabilities", localHeads(), s, s, d));
        kernels.add(new Matmul("attention.context.values", localHeads(), s, d, s));
        if (profile.dropout()) {
            kernels.add(Operator.SCORE_DROPOUT_BACKWARD, scores());
        }
        kernels.add(Operator.SOFTMAX_BACKWARD, scores());
        kernels.add(new Matmul("attention.scores.queries", localHeads(), s, d, s));
        kernels.add(new Matmul("attention.scores.keys", localHeads(), s, d, s));
        return kernels.list;
    }

    private List<Kernel> flashAttention(Pass pass) {
        List<Kernel> kernels = new ArrayList<>();
        for (int step = 0; step < workload.contextParallel(); step++) {
            kernels.addAll(attentionStep(pass));
        }
        return kernels;
    }

    /**
     * Attention over the keys and values of one rank. Half of the scores are masked in each step: in that of the rank's own by the diagonal, else
     * because one of its two pieces of queries, or of keys, is out of sight. In forward the result is added to the sum of those before; in
     * backward the gradients of queries, keys and values are.
     */
    private List<Kernel> attentionStep(Pass pass) {
        List<Kernel> kernels = new ArrayList<>();
        kernels.add(new FlashAttention("attention", localHeads(), workload.rankSequence(), shape.headDim(), pass));
        if (workload.contextParallel() > 1) {
            long elements = tokens() * split(shape.hidden() + (pass == Pass.BACKWARD ? 2L * shape.kvHidden() : 0));
            // Read both, write one.
            kernels.add(new Kernel.MemoryBound("attention.merge", 3L * profile.elementBytes() * elements));
        }
        return kernels;
    }

    /** What comes before attention in some kernels of a block; all of them where there is none. */
    public List<Kernel> beforeAttention(List<Kernel> block) {
        int at = firstOfAttention(block);
        return at < 0 ? block : block.subList(0, at);
    }

    /** One step of the attention in some kernels of a block. */
    public List<Kernel> attentionStep(List<Kernel> block) {
        int at = firstOfAttention(block);
        return at < 0 ? List.of() : attentionStep(((FlashAttention) block.get(at)).pass());
    }

    /** What comes after attention in some kernels of a block. */
    public List<Kernel> afterAttention(List<Kernel> block) {
        int at = firstOfAttention(block);
        return at < 0
                ? List.of()
                : block.subList(
                        at
                                + flashAttention(((FlashAttention) block.get(at)).pass())
                                        .size(),
                        block.size());
    }

    private static int firstOfAttention(List<Kernel> block) {
        for (int i = 0; i < block.size(); i++) {
            if (block.get(i) instanceof FlashAttention) {
                return i;
            }
        }
        return -1;
    }

    /** Token and position look-up. */
    public List<Kernel> embeddingForward() {
        Sequence kernels = new Sequence();
        kernels.add(Operator.EMBEDDING_FORWARD, wholeHidden());
        return kernels.list;
    }

    /** Scatter of the gradient into the embedding. */
    public List<Kernel> embeddingBackward() {
        Sequence kernels = new Sequence();
        kernels.add(Operator.EMBEDDING_BACKWARD, wholeHidden());
        return kernels.list;
    }

    /** Final norm, logits and loss; the gradients of these, too, where the loss is computed in pieces. */
    public List<Kernel> outputForward() {
        Sequence kernels = new Sequence();
        addNormForward(kernels);
        if (profile.lossInPieces()) {
            addLossInPieces(kernels);
        } else {
            kernels.add(logits().forward(tokens()));
            kernels.add(Operator.LOSS_FORWARD, logitElements());
        }
        return kernels.list;
    }

    /** Backward of loss, logits and final norm. */
    public List<Kernel> outputBackward() {
        Sequence kernels = new Sequence();
        if (!profile.lossInPieces()) {
            kernels.add(Operator.LOSS_BACKWARD, logitElements());
            addLinearBackward(kernels, logits());
        }
        addNormBackward(kernels);
        return kernels.list;
    }

    /** Logits, loss and gradients of one piece of the tokens after the other; each reads the sum of weight gradients so far. */
    private void addLossInPieces(Sequence kernels) {
        Linear logits = logits();
        long piece = profile.lossPieceTokens(tokens(), shape);
        for (long left = tokens(); left > 0; left -= piece) {
            long tokens = Math.min(piece, left);
            kernels.add(logits.forward(tokens));
            kernels.add(Operator.LOSS_FORWARD, tokens * logits.outputs());
            kernels.add(logits.inputGradient(tokens));
            kernels.add(logits.weightGradient(tokens));
            kernels.add(new Kernel.MemoryBound(
                    "logits.weight-gradient-sum", profile.elementBytes() * logits.inputs() * logits.outputs()));
        }
    }

    private static List<Kernel> joined(List<Kernel> first, List<Kernel> second) {
        List<Kernel> kernels = new ArrayList<>(first);
        kernels.addAll(second);
        return kernels;
    }

    private void addNormForward(Sequence kernels) {
        kernels.add(shape.gatedFfn() ? Operator.RMS_NORM_FORWARD : Operator.NORM_FORWARD, wholeHidden());
    }

    private void addNormBackward(Sequence kernels) {
        kernels.add(shape.gatedFfn() ? Operator.RMS_NORM_BACKWARD : Operator.NORM_BACKWARD, wholeHidden());
    }

    private void addResidualForward(Sequence kernels) {
        kernels.add(profile.dropout() ? Operator.RESIDUAL_DROPOUT_FORWARD : Operator.RESIDUAL_FORWARD, wholeHidden());
    }

    private void addResidualBackward(Sequence kernels) {
        kernels.add(profile.dropout() ? Operator.RESIDUAL_DROPOUT_BACKWARD : Operator.RESIDUAL_BACKWARD, wholeHidden());
    }

    /** Heads are laid out, and their queries and keys rotated. */
    private void addHeadsForward(Sequence kernels) {
        kernels.add(Operator.LAYOUT_FORWARD, splitHidden());
        if (shape.gatedFfn()) {
            kernels.add(Operator.ROTARY_FORWARD, rotaryElements());
        }
    }

    private void addLinearsForward(Sequence kernels, List<Linear> linears) {
        for (Linear linear : linears) {
            addLinearForward(kernels, linear);
        }
    }

    private void addLinearForward(Sequence kernels, Linear linear) {
        if (linear.eightBits() && !linear.afterNorm()) {
            kernels.add(Operator.QUANTIZE_INPUT, tokens() * linear.inputs());
        }
        kernels.add(linear.forward(tokens()));
        if (linear.bias()) {
            kernels.add(Operator.BIAS_FORWARD, tokens() * linear.outputs());
        }
    }

    private void addLinearBackward(Sequence kernels, Linear linear) {
        addInputGradients(kernels, List.of(linear));
        kernels.addAll(weightGradients(List.of(linear)));
    }

    private void addInputGradients(Sequence kernels, List<Linear> linears) {
        for (Linear linear : linears) {
            if (linear.eightBits()) {
                kernels.add(Operator.QUANTIZE_GRADIENT, tokens() * linear.outputs());
            }
            kernels.add(linear.inputGradient(tokens()));
        }
    }

    private List<Kernel> weightGradients(List<Linear> linears) {
        Sequence kernels = new Sequence();
        for (Linear linear : linears) {
            if (linear.eightBits() && linear.afterNorm()) {
                kernels.add(Operator.TRANSPOSE_INPUT, tokens() * linear.inputs());
            }
            kernels.add(linear.weightGradient(tokens()));
            if (linear.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, tokens() * linear.outputs());
            }
        }
        return kernels.list;
    }

    private List<Linear> inputProjections() {
        boolean bias = !shape.gatedFfn();
        if (bias || profile.fusedProjections()) {
            return List.of(ofLayer(
                    "attention.qkv", shape.hidden(), split(shape.hidden() + 2L * shape.kvHidden()), bias, true));
        }
        return List.of(
                ofLayer("attention.query", shape.hidden(), split(shape.hidden()), false, true),
                ofLayer("attention.key", shape.hidden(), split(shape.kvHidden()), false, true),
                ofLayer("attention.value", shape.hidden(), split(shape.kvHidden()), false, true));
    }

    private Linear outputProjection() {
        return ofLayer("attention.output", split(shape.hidden()), shape.hidden(), !shape.gatedFfn(), false);
    }

    private List<Linear> ffnInputs() {
        if (shape.gatedFfn() && profile.fusedProjections()) {
            return List.of(ofLayer("ffn.gate-up", shape.hidden(), 2 * split(shape.ffn()), false, true));
        }
        Linear up = ofLayer("ffn.up", shape.hidden(), split(shape.ffn()), !shape.gatedFfn(), true);
        return shape.gatedFfn()
                ? List.of(ofLayer("ffn.gate", shape.hidden(), split(shape.ffn()), false, true), up)
                : List.of(up);
    }

    private Linear ffnOutput() {
        return ofLayer("ffn.down", split(shape.ffn()), shape.hidden(), !shape.gatedFfn(), false);
    }

    private Linear logits() {
        return new Linear("logits", shape.hidden(), split(shape.vocab()), false, true, false);
    }

    private long tokens() {
        return workload.tokens();
    }

    private long split(long width) {
        return (width + workload.tensorParallel() - 1) / workload.tensorParallel();
    }

    private long localHeads() {
        return (long) workload.microBatch() * (shape.heads() / workload.tensorParallel());
    }

    private long scores() {
        return localHeads() * workload.sequenceLength() * workload.sequenceLength();
    }

    private long wholeHidden() {
        long elements = tokens() * shape.hidden();
        return workload.sequenceParallel() ? split(elements) : elements;
    }

    private long splitHidden() {
        return tokens() * split(shape.hidden());
    }

    private long rotaryElements() {
        return tokens() * split(shape.hidden() + shape.kvHidden());
    }

    private long ffnElements() {
        return tokens() * split(shape.ffn());
    }

    private long logitElements() {
        return tokens() * (workload.wholeLogits() ? shape.vocab() : split(shape.vocab()));
    }

    private Linear ofLayer(String name, long inputs, long outputs, boolean bias, boolean afterNorm) {
        return new Linear(name, inputs, outputs, bias, afterNorm, profile.eightBitProducts());
    }

    /**
     * A linear map of one rank: its three matrix products.
     *
     * @param afterNorm whether a norm gives what it takes
     * @param eightBits whether its products take operands of 8 bits
     */
    private record Linear(String name, long inputs, long outputs, boolean bias, boolean afterNorm, boolean eightBits) {
        Kernel forward(long tokens) {
            return new Matmul(name, 1, tokens, outputs, inputs, eightBits ? Operands.EIGHT_BITS : Operands.OF_THE_JOB);
        }

        Kernel inputGradient(long tokens) {
            return new Matmul(name + ".input-gradient", 1, tokens, inputs, outputs, ofGradient());
        }

        Kernel weightGradient(long tokens) {
            return new Matmul(name + ".weight-gradient", 1, inputs, outputs, tokens, ofGradient());
        }

        private Operands ofGradient() {
            return eightBits ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
        }
    }

    private final class Sequence {
        final List<Kernel> list = new ArrayList<>();

        void add(Kernel kernel) {
            list.add(kernel);
        }

        void addAll(List<Kernel> kernels) {
            list.addAll(kernels);
        }

        void add(Operator operator, long elements) {
            list.addAll(profile.kernels(operator, elements));
        }
    }
}
