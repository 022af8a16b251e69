package io.shardsim.simulator.workload;

/**
 * Decoder of an encoder-decoder model (T5, arXiv:1910.10683).
 *
 * @param layers number of the model's layers that are its own, the last ones; 0 for none
 * @param tokens tokens per sample in the decoder, in addition to the encoder's
 * @param positionRanges distance ranges with a relative position bias; 0 for none
 */
public record Decoder(int layers, int tokens, int positionRanges) {
    public static final Decoder NONE = new Decoder(0, 0, 0);

    public boolean isPresent() {
        return layers > 0;
    }

    /** Returns whether attention adds a relative position bias to scores. */
    public boolean hasPositionBias() {
        return positionRanges > 0;
    }

    Span span() {
        return Span.number(Math.max(1, tokens));
    }
}
