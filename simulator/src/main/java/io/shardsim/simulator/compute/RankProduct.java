package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.workload.Experts;

/**
 * A matrix of a linear map as one rank has it: its three products. Those of experts are one product for each expert that has tokens, equally many, in one
 * launch.
 *
 * @param bias whether a bias goes with it
 */
record RankProduct(String name, long inputs, long outputs, boolean bias, Format format, Experts experts) {
    /** What its products multiply. */
    enum Format {
        OF_THE_JOB,
        EIGHT_BITS
    }

    boolean eightBits() {
        return format == Format.EIGHT_BITS;
    }

    Matmul forward(long tokens) {
        return new Matmul(
                name,
                batch(tokens),
                rows(tokens),
                outputs,
                inputs,
                eightBits() ? Operands.EIGHT_BITS : Operands.OF_THE_JOB);
    }

    Matmul inputGradient(long tokens) {
        return new Matmul(name + ".input-gradient", batch(tokens), rows(tokens), inputs, outputs, ofGradient());
    }

    Matmul weightGradient(long tokens) {
        return new Matmul(name + ".weight-gradient", batch(tokens), inputs, outputs, rows(tokens), ofGradient());
    }

    /** Rows of all its experts together, for so many tokens. */
    long allRows(long tokens) {
        return experts.arrived(tokens);
    }

    /** Experts that have tokens. */
    private long batch(long tokens) {
        return Math.min(experts.number(), allRows(tokens));
    }

    /** Of the fullest, where tokens are spread evenly. */
    private long rows(long tokens) {
        return (allRows(tokens) - 1) / experts.number() + 1;
    }

    private Operands ofGradient() {
        return eightBits() ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
    }
}
