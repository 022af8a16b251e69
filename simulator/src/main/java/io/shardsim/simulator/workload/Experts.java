package io.shardsim.simulator.workload;

/**
 * Experts of which a router chooses some for each token.
 *
 * @param number of them in a layer
 * @param perToken that each token goes through
 */
public record Experts(int number, int perToken) {
    /** All tokens go through the same. */
    public static final Experts NONE = new Experts(1, 1);
}
