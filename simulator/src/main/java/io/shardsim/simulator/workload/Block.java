package io.shardsim.simulator.workload;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Operators that are computed one after the other, over the same tokens of each sample.
 *
 * @param tokens those
 */
public record Block(Span tokens, List<Operator> operators) {
    public Block {
        operators = List.copyOf(operators);
    }

    /** Over all tokens. */
    public Block(List<Operator> operators) {
        this(Span.ALL, operators);
    }

    /** The sum of what its operators have for a token. */
    long sum(ToLongFunction<Operator> ofToken) {
        return operators.stream().mapToLong(ofToken).sum();
    }
}
