package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;

/**
 * A GPU as its data sheet describes it.
 *
 * @param name catalog name, for example {@code a100-40gb}
 * @param architecture name of the calibrated kernel-time family, for example {@code ampere}
 * @param memoryBytes HBM capacity that a framework can allocate from [bytes]
 * @param memoryBandwidth HBM data-sheet rate
 * @param peakHalfFlopsPerSecond dense fp16/bf16 tensor-core peak [flop/s]
 * @param peakSingleFlopsPerSecond fp32 vector peak [flop/s]
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

    /** The same with so many times the peaks and the memory bandwidth. */
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

    /** Dense peak on elements of a size: the tensor cores' for 2 bytes, the vector units' for 4 [flop/s]. */
    public double peakFlopsPerSecond(int elementBytes) {
        return elementBytes == SINGLE_BYTES ? peakSingleFlopsPerSecond : peakHalfFlopsPerSecond;
    }

    /**
     * Dense FP8 peak of tensor cores that have one: twice that of 16 bits, as in the data sheets of H100 (1,979 and 989 Tflop/s), H200 and B200 (4,500
     * and 2,250) [flop/s].
     */
    public double peakEightBitFlopsPerSecond() {
        return 2 * peakHalfFlopsPerSecond;
    }
}
