package io.shardsim.simulator.workload;

/**
 * Experts of a layer, some of which a router chooses for each token.
 *
 * @param number number of experts in a layer
 * @param perToken experts of each token
 * @param kept token copies sent to experts, as a share of all copies
 * @param fullest token copies on the fullest rank, over an even share of all copies
 */
public record Experts(int number, int perToken, double kept, double fullest) {
    /** Placeholder for a layer without experts. */
    public static final Experts NONE = new Experts(1, 1);

    /** Creates evenly loaded experts. */
    public Experts(int number, int perToken) {
        this(number, perToken, 1, 1);
    }

    /** Returns the elements of a token's copies where the token is, given the elements per copy. */
    public long sent(long ofCopy) {
        return Math.round(kept * perToken * ofCopy);
    }

    /** Returns the elements of the copies on the fullest rank, per token of a rank, given the elements per copy. */
    public long arrived(long ofCopy) {
        return Math.round(fullest * perToken * ofCopy);
    }

    /**
     * Returns the expected number of places with at least one of a token's experts, if equally many experts are at each place and every choice of
     * experts is equally likely.
     */
    public double distinct(int places) {
        int elsewhere = number - number / places;
        double atNone = 1;
        for (int i = 0; i < perToken; i++) {
            atNone *= Math.max(0, elsewhere - i) / (double) (number - i);
        }
        return places * (1 - atNone);
    }

    /** Returns the elements per token of a rank if one copy is sent to each such place, on the fullest rank. */
    public long arrivedAt(int places, long ofCopy) {
        return Math.round(fullest * distinct(places) * ofCopy);
    }
}
