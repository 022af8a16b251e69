package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Loss;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.List;

/** Logits and cross entropy; a chunked loss computes both gradients in the forward. */
record LossKernels(RankShare share, Loss loss) implements OperatorKernels {

    @Override
    public List<Kernel> list(Direction direction, Portion portion) {
        return direction.isBackward() ? backward() : forward();
    }

    private List<Kernel> forward() {
        RankShare.Sequence kernels = share.sequence();
        if (share.profile().lossInPieces()) {
            addPieces(kernels);
        } else {
            kernels.add(logits().forward(share.tokens()));
            if (loss.bias()) {
                kernels.add(Operator.BIAS_FORWARD, share.tokens() * share.split(loss.vocab()));
            }
            kernels.add(Operator.LOSS_FORWARD, logitElements());
        }
        return kernels.list();
    }

    private List<Kernel> backward() {
        RankShare.Sequence kernels = share.sequence();
        if (!share.profile().lossInPieces()) {
            kernels.add(Operator.LOSS_BACKWARD, logitElements());
            kernels.add(logits().inputGradient(share.tokens()));
            if (loss.tuning().isTrained()) {
                kernels.add(logits().weightGradient(share.tokens()));
            }
            if (loss.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, share.tokens() * share.split(loss.vocab()));
            }
        }
        return kernels.list();
    }

    /** Adds logits, loss and gradients chunk by chunk of the tokens; each chunk reads the accumulated weight gradient. */
    private void addPieces(RankShare.Sequence kernels) {
        RankProduct logits = logits();
        long piece = share.profile().lossPieceTokens(share.tokens(), share.shape());
        for (long left = share.tokens(); left > 0; left -= piece) {
            long tokens = Math.min(piece, left);
            kernels.add(logits.forward(tokens));
            kernels.add(Operator.LOSS_FORWARD, tokens * logits.outputs());
            kernels.add(logits.inputGradient(tokens));
            if (loss.tuning().isTrained()) {
                kernels.add(logits.weightGradient(tokens));
                kernels.add(new Kernel.MemoryBound(
                        "logits.weight-gradient-sum",
                        share.profile().elementBytes() * logits.inputs() * logits.outputs()));
            }
        }
    }

    private long logitElements() {
        return share.tokens()
                * (share.workload().split().logits() == Logits.WHOLE ? loss.vocab() : share.split(loss.vocab()));
    }

    private RankProduct logits() {
        return new RankProduct(
                "logits", loss.width(), share.split(loss.vocab()), false, RankProduct.Format.OF_THE_JOB, Experts.NONE);
    }
}
