package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Operator.Split;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels of one block of a layer: norm, a linear map that splits its result among ranks, what is between them, a linear map that brings the parts
 * together, residual addition.
 */
public final class BlockKernels {
    private final RankShare share;
    private final List<OperatorKernels> operators;
    private final boolean endsLayer;

    /**
     * @param block its operators
     * @param endsLayer whether no block of the layer comes after it
     */
    BlockKernels(RankShare share, List<Operator> block, boolean endsLayer) {
        this.share = share;
        this.operators = OperatorKernels.of(share, block);
        this.endsLayer = endsLayer;
    }

    public List<Kernel> forward() {
        return OperatorKernels.forward(operators);
    }

    /**
     * What runs again before the backward of a layer that is checkpointed so. Nothing in a layer's backward needs its last product, so that a framework
     * may stop before it, and one that chooses operators does.
     */
    public List<Kernel> recompute(Checkpointing checkpointing) {
        boolean stopsEarly = endsLayer
                && (checkpointing == Checkpointing.OPERATOR || share.profile().recomputeStopsEarly());
        List<Kernel> kernels = new ArrayList<>();
        for (OperatorKernels each : operators) {
            if (stopsEarly && isSplit(each, Split.INPUTS)) {
                break;
            }
            kernels.addAll(each.recompute(checkpointing));
        }
        return kernels;
    }

    public List<Kernel> backward() {
        return RankShare.joined(inputGradient(), weightGradients());
    }

    /** Backward up to the gradient of the block's input. */
    public List<Kernel> inputGradient() {
        return OperatorKernels.backward(operators);
    }

    /** Gradients of the weights that the block's input meets first. */
    public List<Kernel> weightGradients() {
        return linear(Split.OUTPUTS).weightGradients();
    }

    /** Of the block's forward, or of what is computed again of it. */
    public Stretches stretches(List<Kernel> block) {
        return Stretches.of(
                block,
                linear(Split.OUTPUTS).forwardProducts(),
                linear(Split.INPUTS).forwardProducts(),
                share.workload().tensorParallel());
    }

    /** Of the block's backward. */
    public Stretches backwardStretches() {
        return Stretches.ofBackward(
                inputGradient(),
                linear(Split.INPUTS).inputGradients(),
                weightGradients(),
                share.workload().tensorParallel());
    }

    private LinearKernels linear(Split split) {
        return operators.stream()
                .filter(each -> isSplit(each, split))
                .map(LinearKernels.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isSplit(OperatorKernels operator, Split split) {
        return operator instanceof LinearKernels linear && linear.split() == split;
    }
}
