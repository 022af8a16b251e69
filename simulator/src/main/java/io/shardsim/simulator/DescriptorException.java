package io.shardsim.simulator;

/** A catalog file that does not say what it must. The message names the file and the way out. */
public final class DescriptorException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public DescriptorException(String message) {
        super(message);
    }

    public DescriptorException(String message, Throwable cause) {
        super(message, cause);
    }
}
