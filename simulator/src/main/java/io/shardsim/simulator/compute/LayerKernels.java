package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Block;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * Kernels that one rank launches for one micro-batch of a transformer, in order.
 *
 * <p>Tensor parallelism splits heads, feed-forward width and vocabulary by its degree t [1]; norms, residuals and dropout outside the attention are
 * not split without sequence parallelism [2]. Expert parallelism distributes the experts instead; each rank computes as many token copies as it
 * sends. The collectives between them are not kernels of this list.
 *
 * <p>Leaves out the mask and position tensors that are made once per step.
 *
 * <p>[1] Shoeybi et al., Megatron-LM, arXiv:1909.08053, section 3. [2] Korthikanti et al., arXiv:2205.05198, section 4.2.
 *
 * @param shape the model
 * @param workload lengths, batch and splits
 * @param profile the framework that issues them
 */
public record LayerKernels(ModelShape shape, Workload workload, FrameworkProfile profile) {

    /**
     * Work of one rank.
     *
     * @param sequenceLength tokens of a sample
     * @param microBatch samples of one forward and backward
     * @param attention how scores are computed
     * @param split how the work is split among ranks
     */
    public record Workload(int sequenceLength, int microBatch, AttentionKind attention, Split split) {

        public Workload {
            if (sequenceLength < 1 || microBatch < 1 || split.tensor() < 1 || split.context() < 1) {
                throw new IllegalArgumentException("sequence_length " + sequenceLength + ", micro_batch " + microBatch
                        + ", tensor_parallel " + split.tensor() + " and context_parallel " + split.context()
                        + " must each be at least 1");
            }
            if (split.context() > 1 && attention != AttentionKind.FLASH) {
                throw new IllegalArgumentException("context_parallel " + split.context() + " needs attention flash");
            }
        }

        /** Returns the workload of a rank without model parallelism. */
        public static Workload of(int sequenceLength, int microBatch, AttentionKind attention) {
            return new Workload(sequenceLength, microBatch, attention, new Split(1, 1, false, Logits.SPLIT));
        }

        /** Returns the tokens of a micro-batch on this rank. */
        public long tokens() {
            return (long) rankSequence() * microBatch;
        }

        /** Returns the tokens of a sample on this rank. */
        int rankSequence() {
            return sequenceLength / split.context();
        }
    }

    /** Part of the loss that a tensor-parallel rank computes. */
    public enum Logits {
        /** The loss over its shard of the vocabulary. */
        SPLIT,
        /** The loss over the whole vocabulary, redundantly on every rank. */
        WHOLE
    }

    /**
     * Split of a model and its samples among ranks.
     *
     * @param tensor degree of tensor parallelism, t
     * @param context degree of context parallelism, c
     * @param allToAll whether copies of tokens come from other ranks by an all-to-all, in the order of ranks
     * @param experts ranks that together hold all experts
     * @param expertTensor ranks among these that split each expert
     * @param sequence whether norms and dropouts are split along the sequence
     * @param eagerSteps whether context parallelism merges the results of its steps like PyTorch, with element-wise FP32 kernels
     */
    public record Split(
            int tensor,
            int context,
            boolean allToAll,
            int experts,
            int expertTensor,
            boolean sequence,
            Logits logits,
            boolean eagerSteps) {
        /** Creates a split without expert parallelism. */
        public Split(int tensor, int context, boolean sequence, Logits logits) {
            this(tensor, context, false, 1, 1, sequence, logits, false);
        }
    }

    public LayerKernels {
        if (shape.heads() % workload.split().tensor() != 0) {
            throw new IllegalArgumentException(
                    "tensor_parallel " + workload.split().tensor() + " does not divide heads " + shape.heads());
        }
    }

    /** Returns caveats about times by that calibration, one sentence each; empty inside its range. */
    public List<String> remarks(GpuCalibration calibration) {
        GpuCalibration.Range range = calibration.range();
        List<String> remarks = new ArrayList<>();
        if (!range.remark().isEmpty()) {
            remarks.add(range.remark());
        }
        if (shape.image().isConvolved()) {
            remarks.add("rates of convolutions were measured on V100 alone"
                    + (profile.isSingle()
                            ? "; they run in TF32 on Ampere and later, where MFU, against the FP32 vector peak, may exceed 100 %"
                            : ""));
        } else if (workload.tokens() < range.tokensLeast() || workload.tokens() > range.tokensMost()) {
            remarks.add("micro-batch of " + workload.tokens() + " tokens lies outside the calibrated "
                    + range.tokensLeast() + " to " + range.tokensMost());
        }
        if (shape.hidden() < range.hiddenLeast() || shape.hidden() > range.hiddenMost()) {
            remarks.add("hidden width " + shape.hidden() + " lies outside the calibrated " + range.hiddenLeast()
                    + " to " + range.hiddenMost());
        }
        if (profile.eightBitProducts()) {
            remarks.add("FP8 GEMMs, " + profile.fp8Recipe() + " scaling: MFU counts against the FP8 peak");
        }
        if (profile.isSingle()) {
            remarks.add("FP32 is not validated against any published run; GEMMs run at the data-sheet FP32 vector "
                    + "rate, as in PyTorch unless allow_tf32 is set, and MFU counts against it");
        }
        return List.copyOf(remarks);
    }

    /**
     * Returns how many kernels of a segment the host issues.
     *
     * @param all its kernels
     */
    long issued(Segment segment, List<Kernel> all) {
        CudaGraphs graphs = segment.section().isLayer() ? profile.graphs() : CudaGraphs.NONE;
        if (graphs == CudaGraphs.NONE) {
            return all.size();
        }
        List<Operator> operators = shape.operators().of(segment.section());
        return of(segment.of(segment.pieces().stream()
                        .filter(piece -> !graphs.launch(operators.get(piece.at())))
                        .toList()))
                .size();
    }

    /** Returns the kernels of a segment, in order. */
    public List<Kernel> of(Segment segment) {
        List<OperatorKernels> operators = new ArrayList<>();
        for (Block block : shape.operators().blocks(segment.section())) {
            RankShare share = new RankShare(shape, workload, profile, block.tokens());
            operators.addAll(OperatorKernels.of(share, block.operators()));
        }
        return segment.pieces().stream()
                .flatMap(piece -> operators.get(piece.at()).list(segment.direction(), piece.portion()).stream())
                .toList();
    }
}
