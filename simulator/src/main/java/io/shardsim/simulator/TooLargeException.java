package io.shardsim.simulator;

import java.util.List;

/**
 * A run that is larger than the simulator, or the memory of its machine, can bear. The message is one line: relation, values and what would be smaller.
 */
public final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> keys;

    /** @param keys of a scenario that make it large, dotted; the first that the scenario sets is to blame */
    public TooLargeException(String sentence, String... keys) {
        super(sentence);
        this.keys = List.of(keys);
    }

    /** Of times and sizes whose sums no longer fit. */
    public TooLargeException(ArithmeticException overflow) {
        super(
                "takes more than 13 days of virtual time (2^60 ps), or as many bytes; write smaller sizes, fewer samples or faster links",
                overflow);
        keys = List.of("workload.size", "training.global_batch", "training.sequence_length");
    }

    public List<String> keys() {
        return keys;
    }
}
