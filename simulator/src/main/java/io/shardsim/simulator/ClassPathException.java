package io.shardsim.simulator;

/**
 * What lies on the class path cannot be used: a file of a catalog does not say what it must, is missing, or is there twice. The message names file, place
 * and way out. Whoever adds such a file reads it as the author of a scenario does.
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
