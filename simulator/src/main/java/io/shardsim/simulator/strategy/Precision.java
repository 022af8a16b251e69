package io.shardsim.simulator.strategy;

import java.util.Locale;

/**
 * Number format of parameters, activations and gradients in forward and backward.
 *
 * <p>The 16-bit formats mean mixed precision as in Micikevicius et al. [1]: 32-bit master weights and Adam moments beside
 * them.
 *
 * <p>[1] Mixed Precision Training, arXiv:1710.03740.
 */
public enum Precision {
    BF16(2),
    FP16(2),
    FP32(4);

    private final int bytes;

    Precision(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes of one element. */
    public int bytes() {
        return bytes;
    }

    /** The name as scenario files write it, for example {@code bf16}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True when master weights are kept in 32 bits beside the parameters. */
    public boolean isMixed() {
        return bytes < 4;
    }
}
