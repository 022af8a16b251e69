package io.shardsim.simulator.workload;

import java.util.List;

/**
 * Operator of a transformer as defined by its model: its parameters, and all that follows from its neighbours. Widths are per token, before any split
 * among ranks.
 *
 * <p>Leaves out how a framework computes it: kernels, fusion and formats are in {@code io.shardsim.simulator.compute}.
 */
public sealed interface Operator
        permits Activation,
                Attention,
                BatchNorm,
                Convolution,
                Embedding,
                Encoded,
                ExpertRouter,
                ExpertSum,
                Linear,
                Loss,
                Norm,
                Pool,
                PositionBias,
                QueryKeyNorm,
                Residual {

    /** Returns its own name, or that of its kind. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** Returns its parameter tensors, in forward order. */
    default List<ParameterTensor> parameters() {
        return List.of();
    }

    /** Returns the matrices that it multiplies with, all of them with the same input. */
    default List<Linear.Product> products() {
        return List.of();
    }

    /** Returns this operator with frozen parameters. */
    default Operator frozen() {
        return this;
    }

    /** Returns the weights of the matrices that multiply each token. */
    default long weights() {
        return 0;
    }

    /** Returns the weights of experts that a token is not routed to. */
    default long idleWeights() {
        return 0;
    }

    /**
     * Returns the forward flops per token.
     *
     * @param sequenceLength keys per query, masked ones included
     */
    default long flops(int sequenceLength) {
        return 2 * weights();
    }

    /** Returns the backward flops per token: gradients of its inputs, and of its weights if they are trained. */
    default long backwardFlops(int sequenceLength) {
        return 2 * flops(sequenceLength);
    }

    /** Returns the elements of its input that its backward needs, per token. */
    default long savedInputs() {
        return 0;
    }

    /** Returns whether tensor parallelism splits its input. */
    default boolean takesPart() {
        return false;
    }

    /** Returns whether experts compute it, each for the tokens routed to it. */
    default boolean isOfExperts() {
        return false;
    }

    /** Returns the number of projections that it consumes: query, key and value, or gate and up. */
    default int projections() {
        return 0;
    }

    /**
     * Returns whether a module of it without parameters, such as a rotary embedding, runs right after one of the GEMMs before it.
     *
     * @param number index of the GEMM, from 0
     * @param of number of GEMMs with the same input
     */
    default boolean runsAfter(int number, int of) {
        return false;
    }

    /** Returns the elements of its result, per token, that can be recomputed without a GEMM from its own backward's inputs. */
    default long cheapResults() {
        return 0;
    }

    /** Returns the elements per token that it divides by a root mean square. */
    default long rmsNormed() {
        return 0;
    }
}
