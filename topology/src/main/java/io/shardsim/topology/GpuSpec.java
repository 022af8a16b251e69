package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * GPU as on its data sheet.
 *
 * @param name catalog name, for example {@code a100-40gb}
 * @param architecture name of the calibrated kernel-time family, for example {@code ampere}
 * @param memoryBytes HBM capacity that a framework can allocate from [bytes]
 * @param memoryBandwidth HBM data-sheet rate
 * @param peakHalfFlopsPerSecond dense FP16/BF16 tensor-core peak [flop/s]
 * @param peakSingleFlopsPerSecond FP32 vector peak [flop/s]
 * @param smCount SMs of the GPU
 * @param boostClockHz boost clock [Hz]
 */
public record GpuSpec(
        String name,
        String architecture,
        long memoryBytes,
        Bandwidth memoryBandwidth,
        double peakHalfFlopsPerSecond,
        double peakSingleFlopsPerSecond,
        int smCount,
        long boostClockHz) {
    private static final int SINGLE_BYTES = 4;

    /** Returns this GPU with its peaks and memory bandwidth scaled. */
    public GpuSpec withRates(double flopsFactor, double memoryFactor) {
        return new GpuSpec(
                name,
                architecture,
                memoryBytes,
                memoryBandwidth.scaled(memoryFactor),
                peakHalfFlopsPerSecond * flopsFactor,
                peakSingleFlopsPerSecond * flopsFactor,
                smCount,
                boostClockHz);
    }

    /** Returns the dense peak for an element size: tensor cores for 2 bytes, vector units for 4 [flop/s]. */
    public double peakFlopsPerSecond(int elementBytes) {
        return elementBytes == SINGLE_BYTES ? peakSingleFlopsPerSecond : peakHalfFlopsPerSecond;
    }

    /**
     * Returns the dense FP8 peak of tensor cores that have one: twice the BF16 peak, as on the data sheets of H100 (1,979 and 989 Tflop/s), H200 and
     * B200 (4,500 and 2,250) [flop/s].
     */
    public double peakEightBitFlopsPerSecond() {
        return 2 * peakHalfFlopsPerSecond;
    }
}
