package io.shardsim.simulator.plan;

/**
 * Memory of one GPU.
 *
 * @param capacityBytes bytes that a framework can allocate
 * @param bufferBytes bytes of these for buffers of the communication library
 * @param hostBytes host memory of its node
 */
public record GpuMemory(long capacityBytes, long bufferBytes, long hostBytes) {
    /** Creates a GPU's memory with unlimited host memory. */
    public GpuMemory(long capacityBytes, long bufferBytes) {
        this(capacityBytes, bufferBytes, Long.MAX_VALUE);
    }

    /** Returns the bytes that a plan can use, without fragmentation [bytes]. */
    public long usableBytes() {
        return capacityBytes - bufferBytes;
    }

    /** Returns how a training step fits in addition to the buffers. */
    public MemoryFit fit(MemoryLedger ledger) {
        return new MemoryFit(
                Math.addExact(ledger.usedBytes(), bufferBytes),
                Math.addExact(ledger.peakBytes(), bufferBytes),
                capacityBytes);
    }
}
