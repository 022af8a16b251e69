package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank has of a model, its tokens, heads and widths, and the kernels that all blocks are made of.
 *
 * @param shape the model
 * @param workload lengths, batch and splits
 * @param profile the framework that issues them
 */
record RankShare(ModelShape shape, Workload workload, FrameworkProfile profile) {

    long tokens() {
        return workload.tokens();
    }

    /** Its part of a width, the largest if it does not divide. */
    long split(long width) {
        return (width + workload.tensorParallel() - 1) / workload.tensorParallel();
    }

    /** Elements of the hidden state that norms and residuals work on. */
    long wholeHidden() {
        long elements = tokens() * shape.hidden();
        return workload.sequenceParallel() ? split(elements) : elements;
    }

    /** Nothing yet, to be added to. */
    Sequence sequence() {
        return new Sequence();
    }

    static List<Kernel> joined(List<Kernel> first, List<Kernel> second) {
        List<Kernel> kernels = new ArrayList<>(first);
        kernels.addAll(second);
        return kernels;
    }

    /** A linear map of a layer. */
    Linear ofLayer(String name, long inputs, long outputs, boolean bias, boolean afterNorm) {
        return new Linear(name, inputs, outputs, bias, afterNorm, profile.eightBitProducts());
    }

    /** First products of some linear maps, without what goes with them. */
    List<Kernel> forwardProducts(List<Linear> linears) {
        return linears.stream().map(linear -> linear.forward(tokens())).toList();
    }

    List<Kernel> weightGradients(List<Linear> linears) {
        Sequence kernels = sequence();
        for (Linear linear : linears) {
            if (linear.eightBits() && linear.afterNorm()) {
                kernels.add(Operator.TRANSPOSE_INPUT, tokens() * linear.inputs());
            }
            kernels.add(linear.weightGradient(tokens()));
            if (linear.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, tokens() * linear.outputs());
            }
        }
        return kernels.list();
    }

    /**
     * A linear map of one rank: its three matrix products.
     *
     * @param afterNorm whether a norm gives what it takes
     * @param eightBits whether its products take operands of 8 bits
     */
    record Linear(String name, long inputs, long outputs, boolean bias, boolean afterNorm, boolean eightBits) {
        Kernel forward(long tokens) {
            return new Matmul(name, 1, tokens, outputs, inputs, eightBits ? Operands.EIGHT_BITS : Operands.OF_THE_JOB);
        }

        Kernel inputGradient(long tokens) {
            return new Matmul(name + ".input-gradient", 1, tokens, inputs, outputs, ofGradient());
        }

        Kernel weightGradient(long tokens) {
            return new Matmul(name + ".weight-gradient", 1, inputs, outputs, tokens, ofGradient());
        }

        private Operands ofGradient() {
            return eightBits ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
        }
    }

    /** Kernels one after the other. */
    final class Sequence {
        private final List<Kernel> list = new ArrayList<>();

        List<Kernel> list() {
            return list;
        }

        void add(Kernel kernel) {
            list.add(kernel);
        }

        void addAll(List<Kernel> kernels) {
            list.addAll(kernels);
        }

        void add(Operator operator, long elements) {
            list.addAll(profile.kernels(operator, elements));
        }

        void addNormForward() {
            add(shape.gatedFfn() ? Operator.RMS_NORM_FORWARD : Operator.NORM_FORWARD, wholeHidden());
        }

        void addNormBackward() {
            add(shape.gatedFfn() ? Operator.RMS_NORM_BACKWARD : Operator.NORM_BACKWARD, wholeHidden());
        }

        void addResidualForward() {
            add(profile.dropout() ? Operator.RESIDUAL_DROPOUT_FORWARD : Operator.RESIDUAL_FORWARD, wholeHidden());
        }

        void addResidualBackward() {
            add(profile.dropout() ? Operator.RESIDUAL_DROPOUT_BACKWARD : Operator.RESIDUAL_BACKWARD, wholeHidden());
        }

        void addForward(List<Linear> linears) {
            for (Linear linear : linears) {
                if (linear.eightBits() && !linear.afterNorm()) {
                    add(Operator.QUANTIZE_INPUT, tokens() * linear.inputs());
                }
                add(linear.forward(tokens()));
                if (linear.bias()) {
                    add(Operator.BIAS_FORWARD, tokens() * linear.outputs());
                }
            }
        }

        void addInputGradients(List<Linear> linears) {
            for (Linear linear : linears) {
                if (linear.eightBits()) {
                    add(Operator.QUANTIZE_GRADIENT, tokens() * linear.outputs());
                }
                add(linear.inputGradient(tokens()));
            }
        }

        void addBackward(Linear linear) {
            addInputGradients(List.of(linear));
            addAll(weightGradients(List.of(linear)));
        }
    }
}
