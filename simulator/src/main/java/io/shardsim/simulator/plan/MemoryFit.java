package io.shardsim.simulator.plan;

/**
 * Fit of a training step in GPU memory, and of its offloaded data in host memory. There is no other rule.
 *
 * <p>A step fits if the bytes in use fit. Fragmentation may exceed the capacity: a full allocator returns unused reserved memory and retries. That
 * takes time, which is not modelled, and may fail, so such a step is tight.
 *
 * @param neededBytes peak bytes in use, on the fullest pipeline stage
 * @param reservedBytes peak bytes reserved by the allocator, fragmentation included
 * @param capacityBytes bytes that a framework can allocate
 * @param host host memory of a node
 */
public record MemoryFit(long neededBytes, long reservedBytes, long capacityBytes, HostMemory host) {
    /** Creates a fit without offload. */
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

    /** Returns whether the step fits with fragmentation. */
    public boolean isRoomy() {
        return reservedBytes <= capacityBytes && host.fits();
    }

    /** Returns whether the step fits only without fragmentation. */
    public boolean isTight() {
        return fits() && !isRoomy();
    }

    /** Returns the bytes beyond the capacity of the GPU, or of the host if the GPU's suffices; negative if the step fits. */
    public long missingBytes() {
        return fitsGpu() && !host.fits() ? host.missingBytes() : neededBytes - capacityBytes;
    }

    /** Returns the bytes left with fragmentation; negative if the step is tight or does not fit. */
    public long headroomBytes() {
        return capacityBytes - reservedBytes;
    }
}
