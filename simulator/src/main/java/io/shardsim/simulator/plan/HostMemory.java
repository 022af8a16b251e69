package io.shardsim.simulator.plan;

/**
 * Host memory of a node, used by offload.
 *
 * @param neededBytes bytes that offload needs; 0 without offload
 * @param capacityBytes bytes of the host
 */
public record HostMemory(long neededBytes, long capacityBytes) {
    /** Host memory of a step without offload. */
    public static final HostMemory UNUSED = new HostMemory(0, Long.MAX_VALUE);

    public boolean fits() {
        return neededBytes <= capacityBytes;
    }

    public long missingBytes() {
        return neededBytes - capacityBytes;
    }
}
