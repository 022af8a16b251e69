package io.shardsim.simulator.workload;

/** Sum of what a token's experts give, weighted by the router, and of the shared expert's result. */
public record ExpertSum(int width, Experts experts) implements Operator {
    @Override
    public long savedInputs() {
        return experts.sent(width);
    }
}
