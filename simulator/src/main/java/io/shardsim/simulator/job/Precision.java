package io.shardsim.simulator.job;

import java.util.Locale;

/**
 * Number format of parameters, activations and gradients in forward and backward.
 *
 * <p>BF16 and FP16 mean mixed precision as in Micikevicius et al. [1]: 32-bit master weights and Adam moments beside
 * them. BF16_PURE has none: the weights that are updated, their gradients and Adam's moments are all in 16 bits. FP8 is BF16 whose layers' GEMMs take
 * FP8 operands [2]; attention, logits and all that is kept stay as they are, but for what the recipe says.
 *
 * <p>[1] Mixed Precision Training, arXiv:1710.03740. [2] FP8 Formats for Deep Learning, arXiv:2209.05433.
 */
public enum Precision {
    BF16(2, 4),
    FP8(2, 4),
    FP16(2, 4),
    FP32(4, 4),
    BF16_PURE(2, 2);

    private final int bytes;
    private final int stateBytes;

    Precision(int bytes, int stateBytes) {
        this.bytes = bytes;
        this.stateBytes = stateBytes;
    }

    /** Bytes of one element. */
    public int bytes() {
        return bytes;
    }

    /** The name as scenario files write it, for example {@code bf16}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True when master weights are kept in FP32 beside the parameters. */
    public boolean isMixed() {
        return bytes < stateBytes;
    }

    /** Bytes of the weight that the optimizer updates, and of each of Adam's moments. */
    public int stateBytes() {
        return stateBytes;
    }

    /** Bytes of a parameter's weights, those that are updated beside those of the layers. */
    public int weightBytes() {
        return (isMixed() ? bytes : 0) + stateBytes;
    }
}
