package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Norm over the hidden state.
 *
 * @param rms whether it is an RMSNorm; else a LayerNorm, which subtracts the mean and has a bias
 */
public record Norm(String name, int width, boolean rms, Tuning tuning) implements Operator {
    public Norm(String name, int width, boolean rms) {
        this(name, width, rms, Tuning.TRAINED);
    }

    @Override
    public List<ParameterTensor> parameters() {
        ParameterTensor weight = new ParameterTensor(name + ".weight", width, DividedBy.NONE, tuning);
        return rms
                ? List.of(weight)
                : List.of(weight, new ParameterTensor(name + ".bias", width, DividedBy.NONE, tuning));
    }

    @Override
    public Operator frozen() {
        return new Norm(name, width, rms, Tuning.FROZEN);
    }

    @Override
    public long savedInputs() {
        return width;
    }

    @Override
    public long cheapResults() {
        return width;
    }

    @Override
    public long rmsNormed() {
        return rms ? width : 0;
    }
}
