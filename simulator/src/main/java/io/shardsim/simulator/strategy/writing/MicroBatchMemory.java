package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.Checkpointing;

/**
 * Bytes of a micro-batch on one rank: what its layers and head keep between forward and backward, and hold meanwhile.
 *
 * <p>Activation memory follows Korthikanti et al. [1]; beside what is kept, the backward of a layer holds the gradients of its two widest
 * tensors (scores before and after softmax, or the two sides of the feed-forward activation), and the backward of the head the gradients of
 * its logits in 16 and 32 bits.
 *
 * <p>[1] Reducing Activation Recomputation in Large Transformer Models, arXiv:2205.05198, section 4.
 *
 * @param profile what the framework's operators keep
 */
record MicroBatchMemory(TrainingJob job, FrameworkProfile profile) {

    /** The hidden state. */
    long hiddenBytes() {
        return job.microBatchTokens() * job.model().hidden() * job.precision().bytes();
    }

    /** Keys and values of the rank's tokens. */
    long keyValueBytes() {
        return split(2L * job.model().kvHidden() * job.precision().bytes(), true);
    }

    /**
     * What attention over a split sequence holds beside what is kept: forward the keys and values of all other ranks and a result for each step,
     * backward two sets of keys, values and their gradients, and the gradient of the queries of one step (TransformerEngine v1.11,
     * transformer_engine/pytorch/attention.py, AttnFuncWithCPAndKVP2P: p2p_comm_buffers, out_per_step, dq_).
     */
    long contextBytes(boolean backward) {
        int ranks = job.parallel().context();
        long result = split((long) job.model().hidden() * job.precision().bytes(), true);
        return backward ? 4 * keyValueBytes() + result : (ranks - 1) * keyValueBytes() + ranks * result;
    }

    /** Gradient of a tied embedding from the head's backward to the embedding's. */
    long tiedGradientBytes() {
        return job.model().tiedEmbeddings() && job.parallel().stages() == 1
                ? job.precision().bytes() * job.embeddingTensors().get(0).elements()
                : 0;
    }

    /** What a layer's forward keeps for its backward. */
    long keptBytes(int layer) {
        Checkpointing checkpointing = job.checkpointing(layer);
        long counted = job.activations().layerBytes(job.microBatch(), job.rankSequence(), checkpointing);
        return checkpointing.startsFromInput() ? counted : counted + operatorBytes();
    }

    /** What comes back to life when one layer is computed again: all that it would have kept. */
    long recomputedBytes(int layer) {
        return job.activations().recomputedLayerBytes(job.microBatch(), job.rankSequence())
                + operatorBytes()
                - keptBytes(layer);
    }

    /**
     * What the framework's own operators save of a layer beside the inputs and outputs of its blocks: within the activation, or within two RMS norms, and copies of
     * keys and values; less what products keep of their operands in 8 bits.
     */
    private long operatorBytes() {
        boolean gated = job.model().gatedFfn();
        long norms = gated ? 2L * profile.savedRmsNormBytes() * job.model().hidden() : 0;
        long activation = gated ? profile.savedGatedActivationBytes() : profile.savedActivationBytes();
        long operators = split(norms, job.parallel().sequence())
                + split(activation * job.model().ffn(), true);
        return operators
                + (profile.repeatsKeyValueHeads() ? repeatedBytes() : 0)
                - (profile.keepsEightBits() ? roundedBytes() : 0);
    }

    /** What operands kept in 8 bits spare: both norms' results and the activation's; attention keeps its own in 16 bits beside that which is rounded. */
    private long roundedBytes() {
        long spared = job.precision().bytes() - 1L;
        return split(2 * spared * job.model().hidden(), job.parallel().sequence())
                + split(spared * job.model().ffn() - job.model().hidden(), true);
    }

    /** What keys and values take beyond their own heads once they are copied for all. */
    private long repeatedBytes() {
        long width = job.model().hidden() - job.model().kvHidden();
        return split(2 * width * job.precision().bytes(), true);
    }

    private long split(long bytesPerToken, boolean amongTensorRanks) {
        long bytes = bytesPerToken * job.microBatchTokens();
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
        long tokens = profile.lossPieceTokens(job.microBatchTokens(), job.model());
        return tokens
                * job.model().vocab()
                / job.parallel().tensor()
                * job.precision().bytes();
    }

    /** So many bytes of each logit that a rank has. */
    long logitBytes(int each) {
        return split((long) each * job.model().vocab(), !job.parallel().gathersLogits());
    }

    /** What the backward of a layer holds beside what is kept. */
    long backwardTemporaryBytes() {
        return job.activations().backwardTemporaryBytes(job.microBatch(), job.rankSequence());
    }
}
