package io.shardsim.simulator;

/**
 * A run that is larger than the simulator, or the memory of its machine, can bear. The message is one line: relation, values and what would be smaller.
 */
public final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TooLargeException(String sentence) {
        super(sentence);
    }

    /** Of times and sizes whose sums no longer fit. */
    public TooLargeException(ArithmeticException overflow) {
        super(
                "takes more than 13 days of virtual time (2^60 ps), or as many bytes; write smaller sizes, fewer samples or faster links",
                overflow);
    }
}
