package io.shardsim.simulator.workload;

import java.util.List;

/**
 * One operator of a transformer, as its model describes it: what it holds, and all that follows from its place between others. Widths are those of one
 * token, before any split among ranks.
 *
 * <p>Leaves out how a framework computes it: kernels, fusion and formats are of {@code io.shardsim.simulator.compute}.
 */
public sealed interface Operator
        permits Activation,
                Attention,
                Embedding,
                Encoded,
                ExpertRouter,
                ExpertSum,
                Linear,
                Loss,
                Norm,
                PositionBias,
                QueryKeyNorm,
                Residual {

    /** Its own name, or that of its kind. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** Its parameter tensors, in the order in which its forward needs them. */
    default List<ParameterTensor> parameters() {
        return List.of();
    }

    /** The same operator with parameters that are not trained. */
    default Operator frozen() {
        return this;
    }

    /** Weights of the matrices that multiply each token. */
    default long weights() {
        return 0;
    }

    /** Weights of experts that a token does not go through. */
    default long idleWeights() {
        return 0;
    }

    /**
     * Multiplications and additions of its forward for one token.
     *
     * @param sequenceLength keys of a query, masked ones included
     */
    default long flops(int sequenceLength) {
        return 2 * weights();
    }

    /** Multiplications and additions of its backward for one token: gradients of its inputs, and of its weights if they are trained. */
    default long backwardFlops(int sequenceLength) {
        return 2 * flops(sequenceLength);
    }

    /** Elements of its input that its backward takes, for one token. */
    default long savedInputs() {
        return 0;
    }

    /** Whether tensor parallelism divides its input. */
    default boolean takesPart() {
        return false;
    }

    /** Whether experts compute it, each for the tokens that were sent to it. */
    default boolean isOfExperts() {
        return false;
    }

    /** Number of projections that it works on: query, key and value, or gate and up. */
    default int projections() {
        return 0;
    }

    /**
     * Whether a module of it without parameters, a rotary position say, runs right after one of the products before it.
     *
     * @param number of the product, from 0
     * @param of so many that take the same input
     */
    default boolean runsAfter(int number, int of) {
        return false;
    }

    /** Elements of its result, for one token, that can be made again without a GEMM from what its own backward takes. */
    default long cheapResults() {
        return 0;
    }

    /** Elements of one token that it divides by a root mean square. */
    default long rmsNormed() {
        return 0;
    }
}
