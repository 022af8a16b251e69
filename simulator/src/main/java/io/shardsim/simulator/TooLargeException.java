package io.shardsim.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that is larger than the simulator, or the memory of its machine, can bear. The message is one line: relation, values and what would be smaller.
 */
public final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** How the JDK's methods end that throw where a sum or product does not fit: addExact, multiplyExact, toIntExact, longValueExact. */
    private static final String EXACT = "Exact";

    private final transient List<String> keys;

    /** @param keys of a scenario that make it large, dotted; the first that the scenario sets is to blame */
    public TooLargeException(String sentence, String... keys) {
        super(sentence);
        this.keys = List.of(keys);
    }

    /** Of times and sizes whose sums no longer fit. */
    private TooLargeException(@Nullable ArithmeticException overflow) {
        super(
                "exceeds 13 days of virtual time (2^60 ps), or 2^60 bytes; write smaller sizes, fewer samples or "
                        + "faster links",
                overflow);
        keys = List.of("workload.size", "training.global_batch", "training.sequence_length");
    }

    public List<String> keys() {
        return keys;
    }

    /** Of a time that is later than the latest that a run may reach. */
    public static TooLargeException ofTime() {
        return new TooLargeException((ArithmeticException) null);
    }

    /**
     * What a run that failed so is to be told as. Times and sizes are added up by exact methods, so that one of these throws where a run is too large;
     * any other failure of arithmetic, such as a division by zero, is a bug and is thrown as it is.
     */
    public static TooLargeException of(ArithmeticException failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        if (trace.length > 0 && trace[0].getMethodName().endsWith(EXACT)) {
            return new TooLargeException(failure);
        }
        throw failure;
    }
}
