package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Relative position bias per head, in ranges of distances between key and query, which all layers of a stack add to their scores (T5,
 * arXiv:1910.10683, section 2.1).
 *
 * <p>Leaves out the kernels that look it up once per micro-batch.
 */
public record PositionBias(int ranges, int heads, Tuning tuning) implements Operator {
    PositionBias(int ranges, int heads) {
        this(ranges, heads, Tuning.TRAINED);
    }

    @Override
    public List<ParameterTensor> parameters() {
        return List.of(
                new ParameterTensor("attention.position_bias.weight", (long) ranges * heads, DividedBy.TENSOR, tuning));
    }

    @Override
    public Operator frozen() {
        return new PositionBias(ranges, heads, Tuning.FROZEN);
    }

    @Override
    public boolean runsAfter(int number, int of) {
        return number == of - 1;
    }
}
