package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.ExpertRouter;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.List;

/** Scores of all experts, the choice among them, and the copies of each token in their order. */
record RouterKernels(RankShare share, ExpertRouter router) implements OperatorKernels {

    @Override
    public List<Kernel> list(Direction direction, Portion portion) {
        RankShare.Sequence kernels = share.sequence();
        RankProduct scores = new RankProduct(
                "router",
                router.width(),
                router.experts().number(),
                false,
                RankProduct.Format.OF_THE_JOB,
                Experts.NONE);
        long tokens = share.routedTokens();
        long logits = tokens * router.experts().number();
        long copies = tokens * router.experts().sent(router.width());
        if (direction.isBackward()) {
            kernels.addAll(share.arranged(copies, router.experts()));
            kernels.addAll(share.perExpert(Operator.PERMUTE_BACKWARD, copies, router.experts()));
            kernels.add(Operator.ROUTE_BACKWARD, logits);
            kernels.add(scores.inputGradient(tokens));
            if (router.tuning().isTrained()) {
                kernels.add(scores.weightGradient(tokens));
            }
        } else {
            kernels.add(scores.forward(tokens));
            kernels.add(Operator.ROUTE_FORWARD, logits);
            kernels.addAll(share.perExpert(Operator.PERMUTE_FORWARD, copies, router.experts()));
            kernels.addAll(share.arranged(copies, router.experts()));
        }
        return kernels.list();
    }
}
