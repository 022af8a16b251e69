package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;

/**
 * A matrix of a linear map as one rank has it: its three products.
 *
 * @param bias whether a bias goes with it
 */
record RankProduct(String name, long inputs, long outputs, boolean bias, Format format) {
    /** What its products multiply. */
    enum Format {
        OF_THE_JOB,
        EIGHT_BITS
    }

    boolean eightBits() {
        return format == Format.EIGHT_BITS;
    }

    Matmul forward(long tokens) {
        return new Matmul(name, 1, tokens, outputs, inputs, eightBits() ? Operands.EIGHT_BITS : Operands.OF_THE_JOB);
    }

    Matmul inputGradient(long tokens) {
        return new Matmul(name + ".input-gradient", 1, tokens, inputs, outputs, ofGradient());
    }

    Matmul weightGradient(long tokens) {
        return new Matmul(name + ".weight-gradient", 1, inputs, outputs, tokens, ofGradient());
    }

    private Operands ofGradient() {
        return eightBits() ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
    }
}
