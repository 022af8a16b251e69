package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Attention.Reach;
import io.shardsim.simulator.workload.Linear.Split;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Consecutive operators over the same tokens of each sample.
 *
 * @param tokens these tokens
 */
public record Block(Span tokens, List<Operator> operators) {
    public Block {
        operators = List.copyOf(operators);
    }

    /** Creates a block over all tokens. */
    public Block(List<Operator> operators) {
        this(Span.ALL, operators);
    }

    /** Count of an operator per token. */
    @FunctionalInterface
    interface OfToken {
        /** @param keys keys of a query */
        long of(Operator operator, int keys);
    }

    /** Sums a count over its operators, per token at a sequence length. */
    long sum(OfToken ofToken, int sequenceLength) {
        return sum(operator -> ofToken.of(operator, keys(operator, sequenceLength)));
    }

    /** Returns the keys of a query of one of its operators, at a sequence length. */
    public int keys(Operator operator, int sequenceLength) {
        return operator instanceof Attention attention && attention.reach() == Reach.ENCODER
                ? sequenceLength
                : tokens.of(sequenceLength);
    }

    /** Returns whether tensor parallelism communicates its input: each rank computes a shard of some result. */
    public boolean isEntered() {
        return operators.stream().anyMatch(operator -> splits(operator, Split.OUTPUTS)) || hasLoss();
    }

    /** Returns whether tensor parallelism reduces its result: each rank computes a partial sum. */
    public boolean isLeft() {
        return operators.stream().anyMatch(operator -> splits(operator, Split.INPUTS));
    }

    /** Returns whether it computes logits. */
    public boolean hasLoss() {
        return operators.stream().anyMatch(Loss.class::isInstance);
    }

    private static boolean splits(Operator operator, Split split) {
        return operator instanceof Linear linear && linear.split() == split;
    }

    /** Sums a count per token over its operators. */
    public long sum(ToLongFunction<Operator> ofToken) {
        return operators.stream().mapToLong(ofToken).sum();
    }
}
