package io.shardsim.simulator.workload;

/**
 * Addition of a block's result to the block's input.
 *
 * @param dropout whether the model has a dropout before it, at any rate
 */
public record Residual(int width, boolean dropout) implements Operator {
    @Override
    public boolean runsAfter(int number, int of) {
        return dropout;
    }
}
