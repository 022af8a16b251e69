package io.shardsim.simulator.workload;

/**
 * Whether a parameter is trained, and in which format a frozen one is held.
 *
 * <p>In 4 bits a weight takes a code of NF4, each block of 64 a scale in 8 bits, and each 256 of these one FP32 (QLoRA, arXiv:2305.14314, section 3, double
 * quantization): 4.127 bits. In 8 bits it takes a byte; the one FP32 of a row of the matrix is left out (LLM.int8(), arXiv:2208.07339, section 3.1).
 */
public enum Tuning {
    TRAINED,
    /** In the precision of the job. */
    FROZEN,
    FROZEN_8_BITS,
    FROZEN_4_BITS;

    /** Weights that share a scale. */
    private static final int BLOCK = 64;
    /** Scales that share one of their own. */
    private static final int SCALES = 256;

    /** Frozen in so many bits. */
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

    /** Whether a GEMM takes another format than it is held in. */
    public boolean isQuantized() {
        return this == FROZEN_8_BITS || this == FROZEN_4_BITS;
    }

    /** Bytes of so many elements. */
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
