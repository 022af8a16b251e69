package io.shardsim.simulator.workload;

/** Weighted sum of the results of a token's experts, and of the shared expert's result. */
public record ExpertSum(int width, Experts experts) implements Operator {
    @Override
    public long savedInputs() {
        return experts.sent(width);
    }
}
