package io.shardsim.simulator.workload;

/**
 * Tuning of a parameter: trained, or frozen in a storage format.
 *
 * <p>In 4 bits a weight takes an NF4 code, each block of 64 an 8-bit scale, and each 256 scales one FP32 scale (QLoRA, arXiv:2305.14314, section 3,
 * double quantization): 4.127 bits. In 8 bits it takes a byte; the FP32 scale per matrix row is left out (LLM.int8(), arXiv:2208.07339, section 3.1).
 */
public enum Tuning {
    TRAINED,
    /** Frozen, in the job's precision. */
    FROZEN,
    FROZEN_8_BITS,
    FROZEN_4_BITS;

    /** Number of weights that share a scale. */
    private static final int BLOCK = 64;
    /** Number of scales that share a second-level scale. */
    private static final int SCALES = 256;

    /** Returns the frozen tuning with that many bits. */
    static Tuning frozen(int bits) {
        return switch (bits) {
            case 16 -> FROZEN;
            case 8 -> FROZEN_8_BITS;
            case 4 -> FROZEN_4_BITS;
            default -> throw new IllegalArgumentException("lora.frozen_bits " + bits + " is not 16, 8 or 4");
        };
    }

    public boolean isTrained() {
        return this == TRAINED;
    }

    /** Returns whether GEMMs take another format than the stored one. */
    public boolean isQuantized() {
        return this == FROZEN_8_BITS || this == FROZEN_4_BITS;
    }

    /** Returns the bytes of the elements. */
    public long bytes(long elements, int elementBytes) {
        return switch (this) {
            case TRAINED, FROZEN -> elementBytes * elements;
            case FROZEN_8_BITS -> elements;
            case FROZEN_4_BITS ->
                parts(elements, 2) + parts(elements, BLOCK) + Float.BYTES * parts(elements, BLOCK * SCALES);
        };
    }

    private static long parts(long elements, int each) {
        return (elements + each - 1) / each;
    }
}
