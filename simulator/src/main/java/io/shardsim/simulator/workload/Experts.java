package io.shardsim.simulator.workload;

/**
 * Experts of which a router chooses some for each token.
 *
 * @param number of them in a layer
 * @param perToken that each token goes through
 * @param kept copies of tokens that go to experts, over all of them
 * @param fullest copies that come to the fullest rank, over an even share of all of them
 */
public record Experts(int number, int perToken, double kept, double fullest) {
    /** All tokens go through the same. */
    public static final Experts NONE = new Experts(1, 1);

    /** As many tokens for each. */
    public Experts(int number, int perToken) {
        this(number, perToken, 1, 1);
    }

    /** So many of each of a token's copies, at its home. */
    public long sent(long ofCopy) {
        return Math.round(kept * perToken * ofCopy);
    }

    /** The same where the fullest rank has them, for each token that a rank has. */
    public long arrived(long ofCopy) {
        return Math.round(fullest * perToken * ofCopy);
    }
}
