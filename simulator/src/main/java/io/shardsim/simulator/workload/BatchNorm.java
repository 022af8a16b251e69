package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Batch norm over the samples and positions of a rank, and the element-wise operators after it, which work in place: the next convolution saves their
 * result.
 *
 * <p>Leaves out running statistics, and statistics over several GPUs.
 *
 * @param width channels
 */
public record BatchNorm(String name, int width, Then then) implements Operator {
    /** What follows the norm. */
    public enum Then {
        NOTHING,
        RELU,
        /** Addition of the block's input, then ReLU. */
        SHORTCUT_RELU
    }

    @Override
    public List<ParameterTensor> parameters() {
        return List.of(
                new ParameterTensor(name + ".weight", width, DividedBy.NONE, Tuning.TRAINED),
                new ParameterTensor(name + ".bias", width, DividedBy.NONE, Tuning.TRAINED));
    }

    @Override
    public long savedInputs() {
        return width;
    }
}
