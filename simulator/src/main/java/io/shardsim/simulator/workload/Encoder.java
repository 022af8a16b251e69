package io.shardsim.simulator.workload;

/**
 * A model that sees both directions and predicts masked tokens (BERT, arXiv:1810.04805; RoBERTa, arXiv:1907.11692).
 *
 * @param predicted share of the tokens that are; 0 for a decoder
 * @param allLogits whether the head computes the other tokens, too
 * @param tokenTypes rows of the embedding of token types; 0 for none
 * @param pooler whether the first token tells if the sample's two parts follow on each other
 */
public record Encoder(double predicted, boolean allLogits, int tokenTypes, boolean pooler, Norms norms) {
    /** A decoder. */
    public static final Encoder NONE = new Encoder(0, false, 0, false, Norms.BEFORE);

    /** Where those of a block are. */
    public enum Norms {
        BEFORE,
        BEHIND
    }

    boolean hasNormsBehind() {
        return norms == Norms.BEHIND;
    }

    public boolean isPresent() {
        return predicted > 0;
    }

    Span headTokens() {
        return allLogits ? Span.ALL : Span.share(predicted);
    }

    Encoder withAllLogits(boolean all) {
        return new Encoder(predicted, all, tokenTypes, pooler, norms);
    }
}
