package io.shardsim.scenarios.serving;

/** A request that is refused, with the status and the reason. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /** @param status of HTTP */
    public Refused(int status, String reason) {
        super(reason);
        this.status = status;
    }

    int status() {
        return status;
    }
}
