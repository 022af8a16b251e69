package io.shardsim.simulator.workload;

/**
 * Bidirectional model that predicts masked tokens (BERT, arXiv:1810.04805; RoBERTa, arXiv:1907.11692).
 *
 * @param predicted share of predicted tokens; 0 for a decoder
 * @param allLogits whether the head also computes the other tokens
 * @param tokenTypes rows of the embedding of token types; 0 for none
 * @param pooler whether the first token predicts if the sample's two parts are consecutive
 */
public record Encoder(double predicted, boolean allLogits, int tokenTypes, boolean pooler, Norms norms) {
    /** No encoder: a decoder. */
    public static final Encoder NONE = new Encoder(0, false, 0, false, Norms.BEFORE);

    /** Position of a block's norms. */
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
