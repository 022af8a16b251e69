package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Router: chooses each token's experts, and copies the token once for each of them, ordered by expert.
 *
 * @param first whether no operator before it, such as a shared expert, saves the same input
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

    /** Returns the elements of the copies on the experts' ranks. */
    @Override
    public long cheapResults() {
        return experts.arrived(width);
    }
}
