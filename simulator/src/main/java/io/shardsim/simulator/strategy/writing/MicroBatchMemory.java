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
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.ParameterTensor;
import io.shardsim.simulator.workload.Recomputed;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes of a micro-batch on one rank: what its layers and head keep between forward and backward, and hold meanwhile.
 *
 * <p>Activation memory follows Korthikanti et al. [1]; beside what is kept, the backward of a layer holds the gradients of its two widest
 * tensors (scores before and after softmax, or the two sides of the feed-forward activation), and the backward of the head the gradients of
 * its logits in 16 and 32 bits.
 *
 * <p>[1] Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, section 4.
 */
final class MicroBatchMemory {
    private final TrainingJob job;
    private final FrameworkProfile profile;
    /** Of each kind of layer. */
    private final Map<Integer, OfLayer> layers = new HashMap<>();

    /**
     * Bytes of a kind of layer.
     *
     * @param whole kept where nothing is computed again
     * @param checkpointed kept as the job's checkpoints say
     * @param backwardTemporary there within its backward
     * @param dequantized the largest of its quantized matrices in the format in which GEMMs take it
     */
    private record OfLayer(long whole, long checkpointed, long backwardTemporary, long dequantized) {}

    /** @param profile what the framework's operators keep */
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
                        job.activations().backwardTemporaryBytes(layer, job.microBatch(), job.rankSequence()),
                        largestDequantized(layer)));
    }

    private long layerBytes(int layer, Checkpointing checkpointing) {
        long counted = job.activations().layerBytes(layer, job.microBatch(), job.rankSequence(), checkpointing);
        return checkpointing.startsFromInput() ? counted : counted + operatorBytes(layer, checkpointing);
    }

    /** The hidden state. */
    long hiddenBytes() {
        return job.microBatchTokens() * job.model().hidden() * job.precision().bytes();
    }

    /** That of the tokens of a block. */
    long hiddenBytes(Block block) {
        return tokens(block) * job.model().hidden() * job.precision().bytes();
    }

    private long tokens(Block block) {
        return (long) job.microBatch() * block.tokens().of(job.rankSequence());
    }

    /** Keys and values of the rank's tokens. */
    long keyValueBytes() {
        ModelShape model = job.model();
        // Repeated for all heads by the models that PyTorch's context parallelism is shipped with:
        // torchtitan/models/llama/model.py @9dec370, repeat_kv.
        int repeats = job.parallel().is(Choice.SUMS_IN_FP32) ? model.heads() / model.kvHeads() : 1;
        return split((long) repeats * model.keyValueWidth() * job.precision().bytes(), true);
    }

    /**
     * What attention over a split sequence holds beside what is kept: forward the keys and values of all other ranks and a result for each step,
     * backward two sets of keys, values and their gradients, and the gradient of the queries of one step (TransformerEngine v1.11,
     * transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P: p2p_comm_buffers, out_per_step, dq_). PyTorch holds all keys and values at once, or two of them, and
     * sums up in FP32: the result, and in backward the gradients, those that came, and those of a step (torch/distributed/tensor/experimental/_attention.py of
     * PyTorch 2.6, _templated_ring_attention, convert_to_f32).
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

    /** Copies of tokens, one for each expert that a token goes through, that come to the fullest rank. */
    long copiesBytes(Block block) {
        long ofToken = block.operators().stream()
                .filter(ExpertRouter.class::isInstance)
                .mapToLong(router ->
                        ((ExpertRouter) router).experts().arrived(job.model().hidden()))
                .sum();
        return split(ofToken * job.precision().bytes(), job.parallel().sequence());
    }

    /** Gradient of a tied embedding from the head's backward to the embedding's. */
    long tiedGradientBytes() {
        ParameterTensor tokens = job.embeddingTensors().get(0);
        return job.model().tiedEmbeddings()
                        && tokens.isTrained()
                        && job.parallel().stages() == 1
                ? job.precision().bytes() * tokens.elements()
                : 0;
    }

    /** What a layer's forward keeps for its backward. */
    long keptBytes(int layer) {
        return job.checkpointing(layer) == Checkpointing.NONE
                ? of(layer).whole()
                : of(layer).checkpointed();
    }

    /** What comes back to life when one layer is computed again: all that it would have kept. */
    long recomputedBytes(int layer) {
        return of(layer).whole() - keptBytes(layer);
    }

    /** What the framework's own operators save of a layer beside their inputs, less what products keep of their operands in FP8. */
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

    /** What the framework's own operator saves beside its input: within the activation, or within an RMS norm, and copies of keys and values. */
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
            // Keys and values beyond their own heads.
            long copied =
                    (long) attention.queryWidth() - attention.keyWidth() + attention.width() - attention.valueWidth();
            bytes += split(copied * job.precision().bytes(), block);
        }
        return bytes + savedByAttention(block, operator);
    }

    /** Queries and keys before they are turned. */
    private long savedByAttention(Block block, Operator operator) {
        return operator instanceof Attention attention && attention.rotaryDim() > 0
                ? split((long) profile.savedRotaryBytes() * (attention.queryWidth() + attention.keyWidth()), block)
                : 0;
    }

    /** The parts of the sequence of other ranks, where what was gathered of them is kept. */
    private long gatheredBytes(Block block, Operator operator) {
        boolean gathers = operator instanceof Linear
                && !operator.takesPart()
                && job.parallel().sequence()
                && !(operator.isOfExperts() && job.parallel().experts() > 1);
        long input = job.precision().bytes() * operator.savedInputs();
        return gathers && profile.keepsGatheredSequence()
                ? split(input, false, tokens(block)) - split(input, block)
                : 0;
    }

    private int savedBytes(Activation activation) {
        return switch (activation.function()) {
            case TANH_GELU -> profile.savedActivationBytes();
            case SINGLE -> 0;
            case GATED -> profile.savedGatedActivationBytes();
        };
    }

    /** What operands kept in FP8 spare: results of norms and activations; attention keeps its own in 16 bits beside that which is rounded. */
    private long roundedBytes(Block block, Checkpointing checkpointing) {
        long whole = 0;
        long split = 0;
        boolean afterAttention = false;
        for (Operator operator : block.operators()) {
            if (operator instanceof Linear linear && !drops(operator, checkpointing)) {
                long spared = (afterAttention ? -1L : job.precision().bytes() - 1L) * linear.savedInputs();
                whole += linear.takesPart() ? 0 : spared;
                split += linear.takesPart() ? spared : 0;
            }
            afterAttention = operator instanceof Attention;
        }
        return split(whole, job.parallel().sequence(), tokens(block)) + split(split, block);
    }

    /** Bytes of each token of a block, shared out among the ranks of a tensor-parallel group. */
    long split(long bytesPerToken, Block block) {
        return split(bytesPerToken, true, tokens(block));
    }

    /** Bytes of each token that the ranks of a tensor-parallel group share out among them, or each have. */
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

    /** What the head's forward keeps for its backward. */
    long outputBytes() {
        return job.activations().outputBytes(job.microBatch(), job.rankSequence())
                + logitBytes(profile.keptLogitBytes());
    }

    /** Logits of one piece of the tokens, where the loss is computed in pieces and keeps none. */
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

    /** So many bytes of each logit that a rank has. */
    long logitBytes(int each) {
        return split((long) each * job.model().vocab(), !job.parallel().is(Choice.GATHERS_LOGITS), job.lossTokens());
    }

    /** What the backward of a layer holds beside what is kept. */
    long backwardTemporaryBytes(int layer) {
        return of(layer).backwardTemporary();
    }

    /** The largest of a layer's quantized matrices in the format in which GEMMs take it. */
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
