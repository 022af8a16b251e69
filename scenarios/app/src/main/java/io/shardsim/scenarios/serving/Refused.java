package io.shardsim.scenarios.serving;

/** A refused request, with status and reason. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /** @param status HTTP status */
    public Refused(int status, String reason) {
        super(reason);
        this.status = status;
    }

    int status() {
        return status;
    }
}
