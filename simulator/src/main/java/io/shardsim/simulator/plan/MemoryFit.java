package io.shardsim.simulator.plan;

/**
 * Whether a training step fits in the memory of a GPU, and what it offloads in that of the host. There is no other rule.
 *
 * <p>A step fits if the bytes that it needs fit. Fragmentation may go beyond the capacity: a full allocator gives back what it reserves and does
 * not use, and tries again. That takes time which is not modelled, and may fail, so a step that fits only in this way is tight.
 *
 * @param neededBytes most bytes in use at one instant, on the fullest pipeline stage
 * @param reservedBytes the same with fragmentation, which is what the allocator reserves
 * @param capacityBytes what a framework can allocate
 * @param host memory of a node's host
 */
public record MemoryFit(long neededBytes, long reservedBytes, long capacityBytes, HostMemory host) {
    /** Without offload. */
    public MemoryFit(long neededBytes, long reservedBytes, long capacityBytes) {
        this(neededBytes, reservedBytes, capacityBytes, HostMemory.UNUSED);
    }

    public boolean fits() {
        return fitsGpu() && host.fits();
    }

    public boolean fitsGpu() {
        return neededBytes <= capacityBytes;
    }

    public MemoryFit with(HostMemory other) {
        return new MemoryFit(neededBytes, reservedBytes, capacityBytes, other);
    }

    /** Whether it fits with fragmentation. */
    public boolean isRoomy() {
        return reservedBytes <= capacityBytes && host.fits();
    }

    /** Whether it fits without fragmentation only. */
    public boolean isTight() {
        return fits() && !isRoomy();
    }

    /** Bytes that it needs beyond the capacity of the GPU, or of the host where the GPU's suffices; negative where it fits. */
    public long missingBytes() {
        return fitsGpu() && !host.fits() ? host.missingBytes() : neededBytes - capacityBytes;
    }

    /** Bytes that remain with fragmentation; negative where it is tight or does not fit. */
    public long headroomBytes() {
        return capacityBytes - reservedBytes;
    }
}
