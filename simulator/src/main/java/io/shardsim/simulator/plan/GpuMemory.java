package io.shardsim.simulator.plan;

/**
 * Memory of one GPU.
 *
 * @param capacityBytes what a framework can allocate
 * @param bufferBytes what buffers of the communication library take of it
 * @param hostBytes memory of its node's host
 */
public record GpuMemory(long capacityBytes, long bufferBytes, long hostBytes) {
    /** Beside a host without bounds. */
    public GpuMemory(long capacityBytes, long bufferBytes) {
        this(capacityBytes, bufferBytes, Long.MAX_VALUE);
    }

    /** What a plan can use, fragmentation apart [bytes]. */
    public long usableBytes() {
        return capacityBytes - bufferBytes;
    }

    /** How a training step fits in it, beside the buffers. */
    public MemoryFit fit(MemoryLedger ledger) {
        return new MemoryFit(
                Math.addExact(ledger.usedBytes(), bufferBytes),
                Math.addExact(ledger.peakBytes(), bufferBytes),
                capacityBytes);
    }
}
