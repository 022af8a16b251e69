package io.shardsim.simulator.workload;

/**
 * A decoder behind an encoder (T5, arXiv:1910.10683).
 *
 * @param layers of the model that are its own, the last ones; 0 for none
 * @param tokens of a sample that it has, beside those of the encoder
 * @param positionRanges for which scores have a bias (relative positions); 0 for none
 */
public record Decoder(int layers, int tokens, int positionRanges) {
    public static final Decoder NONE = new Decoder(0, 0, 0);

    public boolean isPresent() {
        return layers > 0;
    }

    /** True when attention adds a bias for each distance to scores. */
    public boolean hasPositionBias() {
        return positionRanges > 0;
    }

    Span span() {
        return Span.number(Math.max(1, tokens));
    }
}
