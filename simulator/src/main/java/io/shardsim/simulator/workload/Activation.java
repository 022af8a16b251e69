package io.shardsim.simulator.workload;

/**
 * Activation of the FFN.
 *
 * @param ffn width of its result
 * @param experts experts, each of which has one
 */
public record Activation(String name, int ffn, Function function, Experts experts) implements Operator {
    /** Function that it computes. */
    public enum Function {
        /** GELU by tanh. */
        TANH_GELU,
        /** GELU by the error function, tanh or ReLU, which are a single operator in every framework. */
        SINGLE,
        /** Activation of one input times another. */
        GATED,
        /** The same, with both inputs clamped first. */
        GATED_CLAMPED
    }

    public boolean gated() {
        return function == Function.GATED || function == Function.GATED_CLAMPED;
    }

    /** Returns the elements of its result per token. */
    public long width() {
        return experts.arrived(ffn);
    }

    @Override
    public int projections() {
        return gated() ? 2 : 1;
    }

    @Override
    public long savedInputs() {
        return projections() * width();
    }

    @Override
    public boolean isOfExperts() {
        return experts.number() > 1;
    }

    @Override
    public boolean takesPart() {
        return true;
    }

    @Override
    public long cheapResults() {
        return width();
    }

    /** Returns whether it runs between the two GEMMs: the activation of the first one's result comes before the second. */
    @Override
    public boolean runsAfter(int number, int of) {
        return number == 0;
    }
}
