package io.shardsim.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Run too large for the simulator or for the machine's memory. The message is one line: relation, values and what would be smaller. */
public final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Suffix of the JDK methods that throw on overflow: addExact, multiplyExact, toIntExact, longValueExact. */
    private static final String EXACT = "Exact";

    private final transient List<String> keys;

    /** @param keys dotted keys of a scenario that make it large; the first one that the scenario sets is reported */
    public TooLargeException(String sentence, String... keys) {
        super(sentence);
        this.keys = List.of(keys);
    }

    /** Reports times and sizes whose sums overflow. */
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

    /** Reports a time later than a run may reach. */
    public static TooLargeException ofTime() {
        return new TooLargeException((ArithmeticException) null);
    }

    /**
     * Converts a failure of arithmetic. Times and sizes are added by exact methods, so an overflow means that the run is too large; any other one,
     * such as a division by zero, is a bug and is rethrown.
     */
    public static TooLargeException of(ArithmeticException failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        if (trace.length > 0 && trace[0].getMethodName().endsWith(EXACT)) {
            return new TooLargeException(failure);
        }
        throw failure;
    }
}
