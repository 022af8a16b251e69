package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Stretch;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Newton-Schulz iterations that orthogonalize the momentum of every matrix within layers (Muon) [1]. An iteration on X, m x n with m at most n, takes
 * three GEMMs: X X^T, its square, and their polynomial times X, so 4 m^2 n + 2 m^3 flops.
 *
 * <p>Leaves out symmetric GEMMs, which compute half of the first two.
 *
 * <p>[1] github.com/KellerJordan/Muon muon.py at 857d1adc, zeropower_via_newtonschulz5; pytorch/pytorch torch/optim/_muon.py at 098e03f9.
 */
record NewtonSchulz(ModelShape shape, int iterations) {
    /** Returns the flops on all matrices of the model. */
    double flops() {
        return sum(Matmul::flops);
    }

    /** Returns the number of GEMMs on all matrices of the model. */
    long launches() {
        return Math.round(sum(gemm -> 1));
    }

    /** Returns the sum of a figure of a GEMM over all GEMMs. */
    double sum(ToDoubleFunction<Matmul> figure) {
        double sum = 0;
        for (Stretch stretch : shape.operators().stretches()) {
            for (Product product : shape.matrices(stretch)) {
                double ofMatrix = gemms(product).stream().mapToDouble(figure).sum();
                sum += ofMatrix
                        * iterations
                        * stretch.layers()
                        * product.experts().number();
            }
        }
        return sum;
    }

    private static List<Matmul> gemms(Product matrix) {
        long m = Math.min(matrix.inputs(), matrix.outputs());
        long n = Math.max(matrix.inputs(), matrix.outputs());
        return List.of(
                new Matmul("gram", 1, m, m, n), new Matmul("square", 1, m, m, m), new Matmul("polynomial", 1, m, n, m));
    }
}
