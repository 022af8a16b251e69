package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.RankShare.Linear;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.List;

/** Second norm, feed-forward block and residual addition. */
final class FeedForwardBlock extends BlockKernels {

    FeedForwardBlock(RankShare share) {
        super(share, inputs(share), output(share));
    }

    private static List<Linear> inputs(RankShare share) {
        ModelShape shape = share.shape();
        long ffn = share.split(shape.ffn());
        if (shape.gatedFfn() && share.profile().fusedProjections()) {
            return List.of(share.ofLayer("ffn.gate-up", shape.hidden(), 2 * ffn, false, true));
        }
        Linear up = share.ofLayer("ffn.up", shape.hidden(), ffn, !shape.gatedFfn(), true);
        return shape.gatedFfn()
                ? List.of(share.ofLayer("ffn.gate", shape.hidden(), ffn, false, true), up)
                : List.of(up);
    }

    private static Linear output(RankShare share) {
        ModelShape shape = share.shape();
        return share.ofLayer("ffn.down", share.split(shape.ffn()), shape.hidden(), !shape.gatedFfn(), false);
    }

    @Override
    public List<Kernel> recompute(Checkpointing checkpointing) {
        if (checkpointing == Checkpointing.OPERATOR) {
            return forwardToLast(firstRecomputed());
        }
        return share.profile().recomputeStopsEarly() ? forwardToLast(first()) : forward();
    }

    @Override
    List<Kernel> innerForward() {
        return activation(Operator.ACTIVATION_FORWARD, Operator.GATED_ACTIVATION_FORWARD);
    }

    @Override
    List<Kernel> innerBackward() {
        return activation(Operator.ACTIVATION_BACKWARD, Operator.GATED_ACTIVATION_BACKWARD);
    }

    private List<Kernel> activation(Operator plain, Operator gated) {
        RankShare.Sequence kernels = share.sequence();
        kernels.add(
                share.shape().gatedFfn() ? gated : plain,
                share.tokens() * share.split(share.shape().ffn()));
        return kernels.list();
    }
}
