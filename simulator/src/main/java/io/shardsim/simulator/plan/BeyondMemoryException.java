package io.shardsim.simulator.plan;

/** Says that a plan uses more memory than its limit, before it is written to its end. */
public final class BeyondMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param usedBytes in use at that instant
     * @param limitBytes most that may be in use
     */
    BeyondMemoryException(long usedBytes, long limitBytes) {
        super(usedBytes + " bytes in use, at most " + limitBytes + " may be", null, false, false);
    }
}
