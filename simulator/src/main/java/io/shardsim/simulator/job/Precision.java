package io.shardsim.simulator.job;

import java.util.Locale;

/**
 * Number format of parameters, activations and gradients in forward and backward.
 *
 * <p>BF16 and FP16 mean mixed precision as in Micikevicius et al. [1]: FP32 master weights and Adam moments. BF16_PURE has no master weights:
 * weights, gradients and Adam's moments are all BF16. FP8 is BF16 with FP8 operands in the GEMMs of layers [2]; attention, logits and saved tensors
 * stay BF16, except as the recipe says.
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

    /** Returns the bytes of one element. */
    public int bytes() {
        return bytes;
    }

    /** Returns the name in scenario files, for example {@code bf16}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether FP32 master weights are kept in addition to the parameters. */
    public boolean isMixed() {
        return bytes < stateBytes;
    }

    /** Returns the bytes of the weight that the optimizer updates, and of each Adam moment. */
    public int stateBytes() {
        return stateBytes;
    }

    /** Returns the bytes per parameter of all weights: master weights plus the layers' own. */
    public int weightBytes() {
        return (isMixed() ? bytes : 0) + stateBytes;
    }
}
