package io.shardsim.simulator.kernel;

/** Ends a logical process because another one of its run has failed. The other one has the cause. */
public final class OtherProcessFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public OtherProcessFailedException() {
        super("another logical process of the run has failed");
    }
}
