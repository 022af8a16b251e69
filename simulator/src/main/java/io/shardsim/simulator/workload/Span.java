package io.shardsim.simulator.workload;

/**
 * Tokens of a sample: a share, or a fixed number.
 *
 * @param number fixed number; 0 for a share
 */
public record Span(double share, int number) {
    public static final Span ALL = share(1);
    /** One token, which represents the sample. */
    public static final Span FIRST = number(1);

    public static Span share(double share) {
        return new Span(share, 0);
    }

    public static Span number(int tokens) {
        return new Span(0, tokens);
    }

    /** Returns their number at a sequence length. */
    public int of(int sequenceLength) {
        return number > 0 ? number : Math.max(1, (int) Math.round(share * sequenceLength));
    }

    /** Scales a count per token of this span to all samples, rounded up. */
    long each(long perToken, long tokens, int sequenceLength) {
        return equals(ALL) ? perToken * tokens : perToken * (tokens / sequenceLength) * of(sequenceLength);
    }
}
