package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;

/**
 * A matrix of a linear map as one rank has it: its three products.
 *
 * @param bias whether a bias goes with it
 * @param eightBits whether its products take operands of 8 bits
 */
record RankProduct(String name, long inputs, long outputs, boolean bias, boolean eightBits) {
    Matmul forward(long tokens) {
        return new Matmul(name, 1, tokens, outputs, inputs, eightBits ? Operands.EIGHT_BITS : Operands.OF_THE_JOB);
    }

    Matmul inputGradient(long tokens) {
        return new Matmul(name + ".input-gradient", 1, tokens, inputs, outputs, ofGradient());
    }

    Matmul weightGradient(long tokens) {
        return new Matmul(name + ".weight-gradient", 1, inputs, outputs, tokens, ofGradient());
    }

    private Operands ofGradient() {
        return eightBits ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
    }
}
