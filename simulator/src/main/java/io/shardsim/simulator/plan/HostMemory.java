package io.shardsim.simulator.plan;

/**
 * Memory of a node's host, as offload fills it.
 *
 * @param neededBytes what offload keeps there; 0 without offload
 * @param capacityBytes what the host has
 */
public record HostMemory(long neededBytes, long capacityBytes) {
    /** Of a step that offloads nothing. */
    public static final HostMemory UNUSED = new HostMemory(0, Long.MAX_VALUE);

    public boolean fits() {
        return neededBytes <= capacityBytes;
    }

    public long missingBytes() {
        return neededBytes - capacityBytes;
    }
}
