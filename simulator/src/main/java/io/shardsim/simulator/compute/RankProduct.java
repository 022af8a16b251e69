package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.Kernel.Operands;
import io.shardsim.simulator.workload.Experts;

/**
 * Shard of a linear map's matrix on one rank, with its three GEMMs. Those of experts are grouped GEMMs: one GEMM per expert with tokens, equally many
 * each.
 *
 * @param bias whether it has a bias
 */
record RankProduct(String name, long inputs, long outputs, boolean bias, Format format, Experts experts) {
    /** Operand format of its GEMMs. */
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

    /** Returns the rows of all its experts together. */
    long allRows(long tokens) {
        return experts.arrived(tokens);
    }

    /** Returns the number of experts with tokens. */
    private long batch(long tokens) {
        return Math.min(experts.number(), allRows(tokens));
    }

    /** Returns the rows of the fullest expert if tokens are spread evenly. */
    private long rows(long tokens) {
        return (allRows(tokens) - 1) / experts.number() + 1;
    }

    private Operands ofGradient() {
        return eightBits() ? Operands.EIGHT_BITS_SPLIT_SUMS : Operands.OF_THE_JOB;
    }
}
