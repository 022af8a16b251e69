package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Attention.Reach;
import io.shardsim.simulator.workload.Linear.Split;
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

    /** What an operator has for a token. */
    @FunctionalInterface
    interface OfToken {
        /** @param keys of a query */
        long of(Operator operator, int keys);
    }

    /** The sum of that over its operators, in samples of so many tokens. */
    long sum(OfToken ofToken, int sequenceLength) {
        return sum(operator -> ofToken.of(operator, keys(operator, sequenceLength)));
    }

    /** Keys of a query of one of its operators, in samples of so many tokens. */
    public int keys(Operator operator, int sequenceLength) {
        return operator instanceof Attention attention && attention.reach() == Reach.ENCODER
                ? sequenceLength
                : tokens.of(sequenceLength);
    }

    /** Whether tensor parallelism brings its input together: each rank makes a part of some result. */
    public boolean isEntered() {
        return operators.stream().anyMatch(operator -> splits(operator, Split.OUTPUTS));
    }

    /** Whether tensor parallelism adds its result up: each rank makes a part of a sum. */
    public boolean isLeft() {
        return operators.stream().anyMatch(operator -> splits(operator, Split.INPUTS));
    }

    private static boolean splits(Operator operator, Split split) {
        return operator instanceof Linear linear && linear.split() == split;
    }

    /** The sum of what its operators have for a token. */
    long sum(ToLongFunction<Operator> ofToken) {
        return operators.stream().mapToLong(ofToken).sum();
    }
}
