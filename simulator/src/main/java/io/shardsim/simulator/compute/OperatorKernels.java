package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Operator.Experts;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.ArrayList;
import java.util.List;

/** The kernels of one operator on one rank, in order. */
interface OperatorKernels {

    /** Those of a portion of it in one direction. */
    List<Kernel> list(Direction direction, Portion portion);

    /** Of the operators of a block, which follow on each other. */
    static List<OperatorKernels> of(RankShare share, List<Operator> operators) {
        Maker maker = new Maker(share);
        List<OperatorKernels> kernels = new ArrayList<>();
        for (Operator operator : operators) {
            kernels.add(maker.kernels(operator));
            maker.afterNorm = operator instanceof Operator.Norm;
        }
        return kernels;
    }

    /** Makes the kernels of one operator after the other. */
    final class Maker {
        private final RankShare share;
        private boolean afterNorm;
        private int products;

        private Maker(RankShare share) {
            this.share = share;
        }

        private OperatorKernels kernels(Operator operator) {
            if (operator instanceof Operator.Embedding embedding) {
                return embedding(embedding);
            } else if (operator instanceof Operator.Norm norm) {
                return norm(norm);
            } else if (operator instanceof Operator.QueryKeyNorm norm) {
                return queryKeyNorm(norm);
            } else if (operator instanceof Operator.Linear linear) {
                return linear(linear);
            } else if (operator instanceof Operator.Attention attention) {
                return new AttentionKernels(share, attention);
            } else if (operator instanceof Operator.Activation activation) {
                return activation(activation);
            } else if (operator instanceof Operator.Residual residual) {
                return residual(residual);
            } else if (operator instanceof Operator.Loss loss) {
                return new LossKernels(share, loss);
            } else if (operator instanceof Operator.Router router) {
                return new RouterKernels(share, router);
            } else if (operator instanceof Operator.Combine combine) {
                return elementwise(
                        FrameworkProfile.Operator.COMBINE_FORWARD,
                        FrameworkProfile.Operator.COMBINE_BACKWARD,
                        share.routedTokens() * combine.savedInputs(),
                        combine.experts());
            } else if (operator instanceof Operator.Encoded encoded) {
                return new Elementwise(
                        List.of(),
                        share.profile()
                                .kernels(FrameworkProfile.Operator.RESIDUAL_FORWARD, share.whole(encoded.hidden())));
            } else if (operator instanceof Operator.PositionBias) {
                return new Elementwise(List.of(), List.of());
            }
            throw new IllegalArgumentException("no kernels are known of " + operator);
        }

        private OperatorKernels embedding(Operator.Embedding embedding) {
            long elements = share.whole(embedding.width());
            return new Elementwise(
                    share.profile().kernels(FrameworkProfile.Operator.EMBEDDING_FORWARD, elements),
                    embedding.tuning().isTrained()
                            ? share.profile().kernels(FrameworkProfile.Operator.EMBEDDING_BACKWARD, elements)
                            : List.of());
        }

        private OperatorKernels norm(Operator.Norm norm) {
            return elementwise(
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_FORWARD : FrameworkProfile.Operator.NORM_FORWARD,
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_BACKWARD : FrameworkProfile.Operator.NORM_BACKWARD,
                    share.whole(norm.width()));
        }

        private OperatorKernels queryKeyNorm(Operator.QueryKeyNorm norm) {
            List<Kernel> forward = new ArrayList<>();
            List<Kernel> backward = new ArrayList<>();
            for (int width : norm.widths()) {
                long elements = share.tokens() * share.split(width);
                forward.addAll(share.profile().unroundedKernels(FrameworkProfile.Operator.RMS_NORM_FORWARD, elements));
                backward.addAll(share.profile().kernels(FrameworkProfile.Operator.RMS_NORM_BACKWARD, elements));
            }
            return new Elementwise(forward, backward);
        }

        private OperatorKernels linear(Operator.Linear linear) {
            LinearKernels kernels = LinearKernels.of(share, linear, afterNorm, products);
            products += kernels.products().size();
            return kernels;
        }

        private OperatorKernels activation(Operator.Activation activation) {
            FrameworkProfile.Operator forward = switch (activation.function()) {
                case TANH_GELU -> FrameworkProfile.Operator.ACTIVATION_FORWARD;
                case SINGLE -> FrameworkProfile.Operator.SINGLE_ACTIVATION_FORWARD;
                case GATED -> FrameworkProfile.Operator.GATED_ACTIVATION_FORWARD;
            };
            FrameworkProfile.Operator backward = switch (activation.function()) {
                case TANH_GELU -> FrameworkProfile.Operator.ACTIVATION_BACKWARD;
                case SINGLE -> FrameworkProfile.Operator.SINGLE_ACTIVATION_BACKWARD;
                case GATED -> FrameworkProfile.Operator.GATED_ACTIVATION_BACKWARD;
            };
            return elementwise(
                    forward,
                    backward,
                    activation.isOfExperts()
                            ? share.routedTokens() * share.ofExperts(activation.width())
                            : share.tokens() * share.split(activation.width()),
                    activation.experts());
        }

        private OperatorKernels residual(Operator.Residual residual) {
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

        private OperatorKernels elementwise(
                FrameworkProfile.Operator forward, FrameworkProfile.Operator backward, long elements) {
            return elementwise(forward, backward, elements, Experts.NONE);
        }

        private OperatorKernels elementwise(
                FrameworkProfile.Operator forward, FrameworkProfile.Operator backward, long elements, Experts experts) {
            return new Elementwise(
                    share.perExpert(forward, elements, experts), share.perExpert(backward, elements, experts));
        }
    }

    /** A map of each element. */
    record Elementwise(List<Kernel> forward, List<Kernel> backward) implements OperatorKernels {
        @Override
        public List<Kernel> list(Direction direction, Portion portion) {
            return direction.isBackward() ? backward : forward;
        }
    }
}
