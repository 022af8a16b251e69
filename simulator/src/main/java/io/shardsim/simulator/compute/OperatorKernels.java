package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator;
import java.util.ArrayList;
import java.util.List;

/** The kernels of one operator on one rank, in order. */
interface OperatorKernels {

    List<Kernel> forward();

    /** What of its forward runs again before the backward of a layer that is checkpointed so. */
    default List<Kernel> recompute(Checkpointing checkpointing) {
        return checkpointing.startsFromInput() ? forward() : List.of();
    }

    /** Backward up to the gradient of its input, and all else that does not come last in its block. */
    List<Kernel> backward();

    /** Of several operators that follow on each other. */
    static List<OperatorKernels> of(RankShare share, List<Operator> operators) {
        Maker maker = new Maker(share);
        List<OperatorKernels> kernels = new ArrayList<>();
        for (Operator operator : operators) {
            kernels.add(operator.accept(maker));
            maker.afterNorm = operator instanceof Operator.Norm;
        }
        return kernels;
    }

    /** Forward of operators that follow on each other. */
    static List<Kernel> forward(List<OperatorKernels> operators) {
        return operators.stream().flatMap(each -> each.forward().stream()).toList();
    }

    /** Backward of the same, the last one first. */
    static List<Kernel> backward(List<OperatorKernels> operators) {
        List<Kernel> kernels = new ArrayList<>();
        for (int i = operators.size() - 1; i >= 0; i--) {
            kernels.addAll(operators.get(i).backward());
        }
        return kernels;
    }

    /** Makes the kernels of one operator after the other. */
    final class Maker implements Operator.Visitor<OperatorKernels> {
        private final RankShare share;
        private boolean afterNorm;
        private int products;

        private Maker(RankShare share) {
            this.share = share;
        }

        @Override
        public OperatorKernels embedding(Operator.Embedding embedding) {
            return elementwise(
                    FrameworkProfile.Operator.EMBEDDING_FORWARD,
                    FrameworkProfile.Operator.EMBEDDING_BACKWARD,
                    share.whole(embedding.width()));
        }

        @Override
        public OperatorKernels norm(Operator.Norm norm) {
            return elementwise(
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_FORWARD : FrameworkProfile.Operator.NORM_FORWARD,
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_BACKWARD : FrameworkProfile.Operator.NORM_BACKWARD,
                    share.whole(norm.width()));
        }

        @Override
        public OperatorKernels linear(Operator.Linear linear) {
            LinearKernels kernels = LinearKernels.of(share, linear, afterNorm, products);
            products += kernels.products().size();
            return kernels;
        }

        @Override
        public OperatorKernels attention(Operator.Attention attention) {
            return new AttentionKernels(share, attention);
        }

        @Override
        public OperatorKernels activation(Operator.Activation activation) {
            return elementwise(
                    activation.gated()
                            ? FrameworkProfile.Operator.GATED_ACTIVATION_FORWARD
                            : FrameworkProfile.Operator.ACTIVATION_FORWARD,
                    activation.gated()
                            ? FrameworkProfile.Operator.GATED_ACTIVATION_BACKWARD
                            : FrameworkProfile.Operator.ACTIVATION_BACKWARD,
                    share.tokens() * share.split(activation.width()));
        }

        @Override
        public OperatorKernels residual(Operator.Residual residual) {
            boolean dropout = share.profile().dropout();
            return elementwise(
                    dropout
                            ? FrameworkProfile.Operator.RESIDUAL_DROPOUT_FORWARD
                            : FrameworkProfile.Operator.RESIDUAL_FORWARD,
                    dropout
                            ? FrameworkProfile.Operator.RESIDUAL_DROPOUT_BACKWARD
                            : FrameworkProfile.Operator.RESIDUAL_BACKWARD,
                    share.whole(residual.width()));
        }

        @Override
        public OperatorKernels loss(Operator.Loss loss) {
            return new LossKernels(share, loss);
        }

        private OperatorKernels elementwise(
                FrameworkProfile.Operator forward, FrameworkProfile.Operator backward, long elements) {
            return new Elementwise(
                    share.profile().kernels(forward, elements), share.profile().kernels(backward, elements));
        }
    }

    /** A map of each element. */
    record Elementwise(List<Kernel> forward, List<Kernel> backward) implements OperatorKernels {}
}
