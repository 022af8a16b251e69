package io.shardsim.simulator.workload;

/**
 * The feed-forward block's activation.
 *
 * @param ffn width of its result
 * @param experts each of which has one
 */
public record Activation(String name, int ffn, Function function, Experts experts) implements Operator {
    /** What it computes. */
    public enum Function {
        /** GELU by tanh. */
        TANH_GELU,
        /** GELU by the error function, tanh or ReLU, which are one operator everywhere. */
        SINGLE,
        /** The activation of one input times another. */
        GATED
    }

    public boolean gated() {
        return function == Function.GATED;
    }

    /** Elements of its result for one token. */
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

    /** The activation of the first product comes before the second product. */
    @Override
    public boolean runsAfter(int number, int of) {
        return number == 0;
    }
}
