package io.shardsim.simulator.compute;

import io.shardsim.simulator.workload.Activation;
import io.shardsim.simulator.workload.Attention;
import io.shardsim.simulator.workload.BatchNorm;
import io.shardsim.simulator.workload.BatchNorm.Then;
import io.shardsim.simulator.workload.Convolution;
import io.shardsim.simulator.workload.Embedding;
import io.shardsim.simulator.workload.Encoded;
import io.shardsim.simulator.workload.ExpertRouter;
import io.shardsim.simulator.workload.ExpertSum;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.Loss;
import io.shardsim.simulator.workload.Norm;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.Pool;
import io.shardsim.simulator.workload.PositionBias;
import io.shardsim.simulator.workload.QueryKeyNorm;
import io.shardsim.simulator.workload.Residual;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.ArrayList;
import java.util.List;

/** Kernels of one operator on one rank, in order. */
interface OperatorKernels {

    /** Lists the kernels of a portion of the operator in one direction. */
    List<Kernel> list(Direction direction, Portion portion);

    /** Returns the kernels of a block's consecutive operators. */
    static List<OperatorKernels> of(RankShare share, List<Operator> operators) {
        Maker maker = new Maker(share);
        List<OperatorKernels> kernels = new ArrayList<>();
        for (Operator operator : operators) {
            kernels.add(maker.kernels(operator));
            maker.afterNorm = operator instanceof Norm;
        }
        return kernels;
    }

    /** Creates the kernels of one operator after the other. */
    final class Maker {
        private final RankShare share;
        private boolean afterNorm;
        private int products;

        private Maker(RankShare share) {
            this.share = share;
        }

        private OperatorKernels kernels(Operator operator) {
            if (operator instanceof Embedding embedding) {
                return embedding(embedding);
            } else if (operator instanceof Norm norm) {
                return norm(norm);
            } else if (operator instanceof QueryKeyNorm norm) {
                return queryKeyNorm(norm);
            } else if (operator instanceof Linear linear) {
                return linear(linear);
            } else if (operator instanceof Attention attention) {
                return new AttentionKernels(share, attention);
            } else if (operator instanceof Activation activation) {
                return activation(activation);
            } else if (operator instanceof Residual residual) {
                return residual(residual);
            } else if (operator instanceof Loss loss) {
                return new LossKernels(share, loss);
            } else if (operator instanceof ExpertRouter router) {
                return new RouterKernels(share, router);
            } else if (operator instanceof ExpertSum combine) {
                return sum(combine);
            } else if (operator instanceof Encoded encoded) {
                return new Elementwise(
                        List.of(),
                        share.profile()
                                .kernels(FrameworkProfile.Operator.RESIDUAL_FORWARD, share.whole(encoded.hidden())));
            } else if (operator instanceof Convolution convolution) {
                return new ConvolutionKernels(share, convolution);
            } else if (operator instanceof BatchNorm norm) {
                return batchNorm(norm);
            } else if (operator instanceof Pool pool) {
                long bytes = share.whole(pool.width())
                        * (pool.inputs() + 1)
                        * share.profile().elementBytes();
                List<Kernel> kernels = List.of(new Kernel.MemoryBound("pool", bytes));
                return new Elementwise(kernels, kernels);
            } else if (operator instanceof PositionBias) {
                return new Elementwise(List.of(), List.of());
            }
            throw new IllegalArgumentException("no kernels are known of " + operator);
        }

        private OperatorKernels embedding(Embedding embedding) {
            long elements = share.whole(embedding.width());
            return new Elementwise(
                    share.profile().kernels(FrameworkProfile.Operator.EMBEDDING_FORWARD, elements),
                    embedding.tuning().isTrained()
                            ? share.profile().kernels(FrameworkProfile.Operator.EMBEDDING_BACKWARD, elements)
                            : List.of());
        }

        private OperatorKernels norm(Norm norm) {
            return elementwise(
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_FORWARD : FrameworkProfile.Operator.NORM_FORWARD,
                    norm.rms() ? FrameworkProfile.Operator.RMS_NORM_BACKWARD : FrameworkProfile.Operator.NORM_BACKWARD,
                    share.whole(norm.width()));
        }

        private OperatorKernels batchNorm(BatchNorm norm) {
            RankShare.Sequence forward = share.sequence();
            RankShare.Sequence backward = share.sequence();
            long elements = share.whole(norm.width());
            forward.add(FrameworkProfile.Operator.BATCH_NORM_FORWARD, elements);
            if (norm.then() == Then.SHORTCUT_RELU) {
                forward.add(FrameworkProfile.Operator.RESIDUAL_FORWARD, elements);
            }
            if (norm.then() != Then.NOTHING) {
                forward.add(FrameworkProfile.Operator.SINGLE_ACTIVATION_FORWARD, elements);
                backward.add(FrameworkProfile.Operator.SINGLE_ACTIVATION_BACKWARD, elements);
            }
            if (norm.then() == Then.SHORTCUT_RELU) {
                backward.add(FrameworkProfile.Operator.RESIDUAL_BACKWARD, elements);
            }
            backward.add(FrameworkProfile.Operator.BATCH_NORM_BACKWARD, elements);
            return new Elementwise(forward.list(), backward.list());
        }

        private OperatorKernels queryKeyNorm(QueryKeyNorm norm) {
            List<Kernel> forward = new ArrayList<>();
            List<Kernel> backward = new ArrayList<>();
            for (int width : norm.widths()) {
                long elements = share.tokens() * share.split(width);
                forward.addAll(share.profile().unroundedKernels(FrameworkProfile.Operator.RMS_NORM_FORWARD, elements));
                backward.addAll(share.profile().kernels(FrameworkProfile.Operator.RMS_NORM_BACKWARD, elements));
            }
            return new Elementwise(forward, backward);
        }

        private OperatorKernels linear(Linear linear) {
            LinearKernels kernels = LinearKernels.of(share, linear, afterNorm, products);
            products += kernels.products().size();
            return kernels;
        }

        private OperatorKernels activation(Activation activation) {
            FrameworkProfile.Operator forward = switch (activation.function()) {
                case TANH_GELU -> FrameworkProfile.Operator.ACTIVATION_FORWARD;
                case SINGLE -> FrameworkProfile.Operator.SINGLE_ACTIVATION_FORWARD;
                case GATED -> FrameworkProfile.Operator.GATED_ACTIVATION_FORWARD;
                case GATED_CLAMPED -> FrameworkProfile.Operator.CLAMPED_ACTIVATION_FORWARD;
            };
            FrameworkProfile.Operator backward = switch (activation.function()) {
                case TANH_GELU -> FrameworkProfile.Operator.ACTIVATION_BACKWARD;
                case SINGLE -> FrameworkProfile.Operator.SINGLE_ACTIVATION_BACKWARD;
                case GATED -> FrameworkProfile.Operator.GATED_ACTIVATION_BACKWARD;
                case GATED_CLAMPED -> FrameworkProfile.Operator.CLAMPED_ACTIVATION_BACKWARD;
            };
            return elementwise(
                    forward,
                    backward,
                    activation.isOfExperts()
                            ? share.expertTokens() * share.ofExperts(activation.width())
                            : share.tokens() * share.split(activation.width()),
                    activation.experts());
        }

        private OperatorKernels residual(Residual residual) {
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

        private OperatorKernels sum(ExpertSum combine) {
            long elements = share.routedTokens() * combine.savedInputs();
            Experts experts = combine.experts();
            RankShare.Sequence forward = share.sequence();
            RankShare.Sequence backward = share.sequence();
            backward.addAll(share.perExpert(FrameworkProfile.Operator.COMBINE_BACKWARD, elements, experts));
            backward.addAll(share.arranged(elements, experts));
            if (combine.biased()) {
                Experts own = share.own(experts);
                forward.addAll(share.launchedPerExpert(FrameworkProfile.Operator.EXPERT_BIAS_FORWARD, elements, own));
                backward.addAll(share.launchedPerExpert(FrameworkProfile.Operator.EXPERT_BIAS_BACKWARD, elements, own));
            }
            forward.addAll(share.arranged(elements, experts));
            forward.addAll(share.perExpert(FrameworkProfile.Operator.COMBINE_FORWARD, elements, experts));
            return new Elementwise(forward.list(), backward.list());
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

    /** Element-wise map. */
    record Elementwise(List<Kernel> forward, List<Kernel> backward) implements OperatorKernels {
        @Override
        public List<Kernel> list(Direction direction, Portion portion) {
            return direction.isBackward() ? backward : forward;
        }
    }
}
