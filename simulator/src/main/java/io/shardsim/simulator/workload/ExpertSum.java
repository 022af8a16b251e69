package io.shardsim.simulator.workload;

/** Weighted sum of a token's expert results and the shared expert's result. */
public record ExpertSum(int width, Experts experts) implements Operator {
    @Override
    public long savedInputs() {
        return experts.sent(width);
    }
}
