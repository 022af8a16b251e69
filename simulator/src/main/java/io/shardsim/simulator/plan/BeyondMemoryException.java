package io.shardsim.simulator.plan;

/** Thrown when a plan exceeds its memory limit, before it is complete. */
public final class BeyondMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param usedBytes bytes in use at that instant
     * @param limitBytes maximum bytes in use
     */
    BeyondMemoryException(long usedBytes, long limitBytes) {
        super(usedBytes + " bytes in use, at most " + limitBytes + " may be", null, false, false);
    }
}
