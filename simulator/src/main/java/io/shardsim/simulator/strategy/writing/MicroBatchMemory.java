package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.Activation;
import io.shardsim.simulator.workload.Attention;
import io.shardsim.simulator.workload.Block;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ExpertRouter;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.Loss;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.ParameterTensor;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Bytes of a micro-batch on one rank: saved tensors of its layers and head, and temporaries.
 *
 * <p>Activation memory follows Korthikanti et al. [1]; in addition to saved tensors, the backward of a layer holds the gradients of its two widest
 * tensors (scores before and after softmax, or input and output of the FFN activation), and the backward of the head the 16-bit and FP32 gradients of
 * its logits.
 *
 * <p>[1] Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, section 4.
 */
final class MicroBatchMemory {
    private final TrainingJob job;
    private final FrameworkProfile profile;
    /** Bytes by kind of layer. */
    private final Map<Integer, OfLayer> layers = new HashMap<>();

    /**
     * Bytes of a kind of layer.
     *
     * @param whole saved without recomputation
     * @param checkpointed saved with the job's checkpoints
     * @param backwardTemporary temporaries within its backward
     * @param dequantized its largest quantized matrix in the format of the GEMMs
     */
    private record OfLayer(long whole, long checkpointed, long backwardTemporary, long dequantized) {}

    /** @param profile framework whose operators save tensors */
    MicroBatchMemory(TrainingJob job, FrameworkProfile profile) {
        this.job = job;
        this.profile = profile;
    }

    private OfLayer of(int layer) {
        return layers.computeIfAbsent(
                job.model().kindOf(layer),
                kind -> new OfLayer(
                        layerBytes(layer, Checkpointing.NONE),
                        layerBytes(layer, job.checkpointing()),
                        Math.max(
                                job.activations().backwardTemporaryBytes(layer, job.microBatch(), job.rankSequence()),
                                logitBytes(layer, profile.logitGradientBytes())),
                        largestDequantized(layer)));
    }

    private long layerBytes(int layer, Checkpointing checkpointing) {
        long counted = job.activations().layerBytes(layer, job.microBatch(), job.rankSequence(), checkpointing);
        return counted
                + (checkpointing.startsFromInput()
                        ? logitBytes(layer, profile.keptLogitBytes())
                        : operatorBytes(layer, checkpointing));
    }

    /** Returns the bytes of the logits of a layer, if it has some of its own, given the bytes per logit. */
    private long logitBytes(int layer, int each) {
        boolean has = job.model().kind(layer).blocks().stream().anyMatch(Block::hasLoss);
        return has ? logitBytes(each) : 0;
    }

    /** Returns the bytes of the hidden state. */
    long hiddenBytes() {
        return job.microBatchTokens() * job.model().hidden() * job.precision().bytes();
    }

    /** Returns the bytes of the hidden state of a block's tokens. */
    long hiddenBytes(Block block) {
        return tokens(block) * job.model().hidden() * job.precision().bytes();
    }

    private long tokens(Block block) {
        return (long) job.microBatch() * block.tokens().of(job.rankSequence());
    }

    /** Returns the bytes of keys and values of the rank's tokens. */
    long keyValueBytes() {
        ModelShape model = job.model();
        // Repeated for all heads in the models that use PyTorch's context parallelism: torchtitan/models/llama/model.py
        // @9dec370, repeat_kv.
        int repeats = job.parallel().is(Choice.SUMS_IN_FP32) ? model.heads() / model.kvHeads() : 1;
        return split((long) repeats * model.keyValueWidth() * job.precision().bytes(), true);
    }

    /**
     * Returns the temporaries of attention under context parallelism: in forward the keys and values of all other ranks and a result per step, in
     * backward two sets of keys, values and their gradients, and one step's gradient of the queries (TransformerEngine v1.11,
     * transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P: p2p_comm_buffers, out_per_step, dq_). PyTorch holds all keys and values at
     * once, or two sets of them, and accumulates in FP32: the result, and in backward the gradients, the received ones, and one step's
     * (torch/distributed/tensor/experimental/_attention.py of PyTorch 2.6, _templated_ring_attention, convert_to_f32).
     */
    long contextBytes(boolean backward) {
        int ranks = job.parallel().context();
        long result =
                split((long) job.model().attentionWidth() * job.precision().bytes(), true);
        if (job.parallel().is(Choice.SUMS_IN_FP32)) {
            long gathered = (job.parallel().is(Choice.GATHERS_KEYS_VALUES) ? ranks : 2) * keyValueBytes();
            long sums = Precision.FP32.bytes() / job.precision().bytes();
            return gathered + (sums + 1) * result + (backward ? (2 * sums + 1) * keyValueBytes() : 0);
        }
        return backward ? 4 * keyValueBytes() + result : (ranks - 1) * keyValueBytes() + ranks * result;
    }

    /** Returns the bytes of token copies, one for each expert of a token, on the fullest rank. */
    long copiesBytes(Block block) {
        return routedBytes(block, experts -> experts.arrived(job.model().hidden()));
    }

    /** Returns the bytes of token copies, one for each rank or node with experts of a token or parts of them, on the fullest rank. */
    long copiesBytes(Block block, int places) {
        int different = Math.min(places, job.parallel().expertParallel());
        return places
                / different
                * routedBytes(
                        block,
                        experts -> experts.arrivedAt(different, job.model().hidden()));
    }

    /** Returns the bytes of the rank's own tokens that are routed. */
    long routedBytes(Block block) {
        return routedBytes(block, experts -> job.model().hidden());
    }

    private long routedBytes(Block block, ToLongFunction<Experts> elementsOfToken) {
        long ofToken = block.operators().stream()
                .filter(ExpertRouter.class::isInstance)
                .mapToLong(router -> elementsOfToken.applyAsLong(((ExpertRouter) router).experts()))
                .sum();
        return split(ofToken * job.precision().bytes(), job.parallel().sequence());
    }

    /** Returns the bytes of a tied embedding's gradient, from the head's backward to the embedding's. */
    long tiedGradientBytes() {
        if (!job.model().tiedEmbeddings() || job.parallel().stages() > 1) {
            return 0;
        }
        ParameterTensor tokens = job.embeddingTensors().get(0);
        return tokens.isTrained() ? job.precision().bytes() * tokens.elements() : 0;
    }

    /** Returns the bytes that a layer's forward saves for its backward. */
    long keptBytes(int layer) {
        return job.checkpointing(layer) == Checkpointing.NONE
                ? of(layer).whole()
                : of(layer).checkpointed();
    }

    /** Returns the bytes recreated when one layer is recomputed: everything that it would have saved. */
    long recomputedBytes(int layer) {
        return of(layer).whole() - keptBytes(layer);
    }

    /** Returns the bytes that the framework's own operators save in addition to their inputs, less savings from GEMM operands in FP8. */
    private long operatorBytes(int layer, Checkpointing checkpointing) {
        long saved = 0;
        for (Block block : job.model().kind(layer).blocks()) {
            for (Operator operator : block.operators()) {
                saved += savedWithin(block, operator, checkpointing);
            }
            saved -= profile.keepsEightBits() ? roundedBytes(block, checkpointing) : 0;
        }
        return saved;
    }

    /**
     * Returns the bytes that the framework's own operator saves in addition to its input: within the activation, or within an RMSNorm, and copies of
     * keys and values.
     */
    long savedWithin(Block block, Operator operator, Checkpointing checkpointing) {
        long gathered = drops(operator, checkpointing) ? 0 : gatheredBytes(block, operator);
        String within = operator instanceof Attention ? Recomputed.HEADS : operator.name();
        return checkpointing == Checkpointing.SELECTIVE
                        && job.kept().recomputed().runs(within)
                ? gathered
                : gathered + savedWithin(block, operator);
    }

    private boolean drops(Operator operator, Checkpointing checkpointing) {
        return checkpointing == Checkpointing.SELECTIVE
                && job.kept().recomputed().drops(operator.name());
    }

    private long savedWithin(Block block, Operator operator) {
        long norm = profile.savedRmsNormBytes() * operator.rmsNormed();
        long bytes = split(norm, operator.takesPart() || job.parallel().sequence(), tokens(block));
        if (operator instanceof Activation activation) {
            bytes += split(savedBytes(activation) * activation.width(), block);
        } else if (operator instanceof Attention attention && profile.repeatsKeyValueHeads()) {
            // Keys and values repeated beyond their own heads.
            long copied =
                    (long) attention.queryWidth() - attention.keyWidth() + attention.width() - attention.valueWidth();
            bytes += split(copied * job.precision().bytes(), block);
        } else if (operator instanceof Loss) {
            bytes += logitBytes(profile.keptLogitBytes());
        }
        return bytes + savedByAttention(block, operator);
    }

    /** Returns the bytes of queries and keys before rotation. */
    private long savedByAttention(Block block, Operator operator) {
        return operator instanceof Attention attention && attention.rotaryDim() > 0
                ? split((long) profile.savedRotaryBytes() * (attention.queryWidth() + attention.keyWidth()), block)
                : 0;
    }

    /** Returns the bytes of other ranks' shards of the sequence, if gathered tensors are kept. */
    private long gatheredBytes(Block block, Operator operator) {
        boolean gathers = operator instanceof Linear
                && !operator.takesPart()
                && job.parallel().sequence()
                && !(operator.isOfExperts() && job.parallel().experts() > 1);
        long input = job.precision().bytes() * operator.savedInputs();
        if (slices(operator) > 1) {
            return (slices(operator) - 1) * split(input, job.parallel().sequence(), tokens(block));
        }
        return gathers && profile.keepsGatheredSequence()
                ? split(input, false, tokens(block)) - split(input, block)
                : 0;
    }

    /** Returns over how many ranks the experts that take an unsplit input are split; it is gathered among them. */
    private int slices(Operator operator) {
        boolean gathers = operator instanceof Linear && operator.isOfExperts() && !operator.takesPart();
        return gathers ? job.parallel().expertTensor() : 1;
    }

    private int savedBytes(Activation activation) {
        return switch (activation.function()) {
            case TANH_GELU -> profile.savedActivationBytes();
            case SINGLE -> 0;
            case GATED, GATED_CLAMPED -> profile.savedGatedActivationBytes();
        };
    }

    /**
     * Returns the bytes saved by operands in FP8: results of norms and activations; attention keeps its own 16-bit result in addition to the FP8 one.
     */
    private long roundedBytes(Block block, Checkpointing checkpointing) {
        long whole = 0;
        long split = 0;
        double kept = profile.operandBytes();
        boolean afterAttention = false;
        for (Operator operator : block.operators()) {
            if (operator instanceof Linear linear && !drops(operator, checkpointing)) {
                long spared = (long) ((afterAttention ? -kept : job.precision().bytes() - kept) * linear.savedInputs());
                whole += linear.takesPart() ? 0 : slices(linear) * spared;
                split += linear.takesPart() ? spared : 0;
            }
            afterAttention = operator instanceof Attention;
        }
        return split(whole, job.parallel().sequence(), tokens(block)) + split(split, block);
    }

    /** Returns the bytes on a rank of a tensor-parallel group, given split bytes per token of a block. */
    long split(long bytesPerToken, Block block) {
        return split(bytesPerToken, true, tokens(block));
    }

    /** Returns the bytes on a rank of a tensor-parallel group, given split or replicated bytes per token. */
    private long split(long bytesPerToken, boolean amongTensorRanks) {
        return split(bytesPerToken, amongTensorRanks, job.microBatchTokens());
    }

    private long split(long bytesPerToken, boolean amongTensorRanks, long tokens) {
        long bytes = bytesPerToken * tokens;
        return amongTensorRanks
                ? ShardGroups.padded(bytes, job.parallel().tensor())
                        / job.parallel().tensor()
                : bytes;
    }

    /** Returns the bytes that the head's forward saves for its backward. */
    long outputBytes() {
        return job.activations().outputBytes(job.microBatch(), job.rankSequence())
                + logitBytes(profile.keptLogitBytes());
    }

    /** Returns the bytes of one chunk's logits, if the loss is chunked and saves none. */
    long lossPieceBytes() {
        if (!profile.lossInPieces()) {
            return 0;
        }
        long tokens = profile.lossPieceTokens(job.lossTokens(), job.model());
        return tokens
                * job.model().vocab()
                / job.parallel().tensor()
                * job.precision().bytes();
    }

    /** Returns the bytes of the gradients of all GEMMs' results in a section, which their wgrads need; tensor parallelism splits the sequence. */
    long resultGradientBytes(Section section) {
        return job.model().operators().blocks(section).stream()
                .mapToLong(block -> split(
                        job.precision().bytes()
                                * block.sum(each -> each instanceof Linear linear ? linear.results() : 0),
                        block))
                .sum();
    }

    /** Returns the bytes of a rank's logits, given the bytes per logit. */
    long logitBytes(int each) {
        return split((long) each * job.model().vocab(), !job.parallel().is(Choice.GATHERS_LOGITS), job.lossTokens());
    }

    /** Returns the temporaries of a layer's backward. */
    long backwardTemporaryBytes(int layer) {
        return of(layer).backwardTemporary();
    }

    /** Returns the bytes of a layer's largest quantized matrix in the format of the GEMMs. */
    long dequantizedBytes(int layer) {
        return of(layer).dequantized();
    }

    private long largestDequantized(int layer) {
        return job.model().kind(layer).operators().stream()
                .filter(operator ->
                        operator instanceof Linear linear && linear.tuning().isQuantized())
                .flatMap(operator -> ((Linear) operator).products().stream())
                .mapToLong(product -> job.precision().bytes() * product.weights())
                .max()
                .orElse(0);
    }
}
