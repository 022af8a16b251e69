package io.shardsim.simulator.workload;

/**
 * Weighted sum of a token's expert results and the shared expert's result.
 *
 * @param biased whether the experts' results get a bias first
 */
public record ExpertSum(int width, Experts experts, boolean biased) implements Operator {
    @Override
    public long savedInputs() {
        return experts.sent(width);
    }
}
