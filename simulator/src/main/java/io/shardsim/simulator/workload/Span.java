package io.shardsim.simulator.workload;

/**
 * Tokens of a sample: a share of them, or a number whatever the sample's length.
 *
 * @param number of them; 0 for a share
 */
public record Span(double share, int number) {
    public static final Span ALL = share(1);
    /** One, which stands for the sample. */
    public static final Span FIRST = number(1);

    public static Span share(double share) {
        return new Span(share, 0);
    }

    public static Span number(int tokens) {
        return new Span(0, tokens);
    }

    /** How many those are of a sample of so many. */
    public int of(int sequenceLength) {
        return number > 0 ? number : Math.max(1, (int) Math.round(share * sequenceLength));
    }

    /** So many of these for each token of a sample, rounded up. */
    long each(long perToken, long tokens, int sequenceLength) {
        return equals(ALL) ? perToken * tokens : perToken * (tokens / sequenceLength) * of(sequenceLength);
    }
}
