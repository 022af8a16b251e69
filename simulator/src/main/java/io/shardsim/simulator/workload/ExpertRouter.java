package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Choice of each token's experts, and a copy of it for each of them, in their order.
 *
 * @param first whether no operator before it keeps the same input, as a shared expert does
 */
public record ExpertRouter(int width, Experts experts, boolean first, Tuning tuning) implements Operator {
    ExpertRouter(int width, Experts experts, boolean first) {
        this(width, experts, first, Tuning.TRAINED);
    }

    @Override
    public List<ParameterTensor> parameters() {
        return List.of(new ParameterTensor("router.weight", weights(), DividedBy.NONE, tuning));
    }

    @Override
    public Operator frozen() {
        return new ExpertRouter(width, experts, first, Tuning.FROZEN);
    }

    @Override
    public long backwardFlops(int sequenceLength) {
        return (tuning.isTrained() ? 4 : 2) * weights();
    }

    @Override
    public long weights() {
        return (long) width * experts.number();
    }

    @Override
    public long savedInputs() {
        return first ? width : 0;
    }

    /** The copies, where they go. */
    @Override
    public long cheapResults() {
        return experts.arrived(width);
    }
}
