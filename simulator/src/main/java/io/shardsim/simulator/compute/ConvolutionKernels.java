package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.workload.Convolution;
import io.shardsim.simulator.workload.Convolution.Input;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.ArrayList;
import java.util.List;

/**
 * Convolution: one implicit GEMM forward, one for the gradient of its input, one for that of its filters (NVIDIA, Convolutional Layers User's Guide,
 * section 3). A stride divides the dgrad's inner products by its square: only that share of the outputs depends on an input position.
 *
 * <p>Leaves out changes of layout: tensors are channels-last.
 */
record ConvolutionKernels(RankShare share, Convolution convolution) implements OperatorKernels {

    @Override
    public List<Kernel> list(Direction direction, Portion portion) {
        long positions = share.tokens();
        long filters = convolution.product().outputs();
        long patch = convolution.product().inputs();
        String name = convolution.name();
        if (!direction.isBackward()) {
            return List.of(kernel(name, positions, filters, patch));
        }
        List<Kernel> kernels = new ArrayList<>();
        if (convolution.input() != Input.IMAGE) {
            long phases = (long) convolution.stride() * convolution.stride();
            long inner = Math.max(1, filters * convolution.kernel() * convolution.kernel() / phases);
            kernels.add(kernel(name + ".input-gradient", positions * phases, convolution.channels(), inner));
        }
        kernels.add(kernel(name + ".weight-gradient", patch, filters, positions));
        return kernels;
    }

    private Kernel kernel(String name, long m, long n, long k) {
        long elements = share.tokens()
                        * (convolution.inputElements() + convolution.product().outputs())
                + convolution.weights();
        return new Kernel.Convolution(
                new Matmul(name, 1, m, n, k, Operands.PATCHES),
                elements * share.profile().elementBytes());
    }
}
