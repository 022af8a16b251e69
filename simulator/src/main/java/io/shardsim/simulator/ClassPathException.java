package io.shardsim.simulator;

/**
 * Unusable file on the class path: an invalid catalog file, or one that is missing or exists twice. The message names the file, the place and the
 * remedy, for the author of the file.
 */
public class ClassPathException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public ClassPathException(String message) {
        super(message);
    }

    protected ClassPathException(String message, Throwable cause) {
        super(message, cause);
    }
}
