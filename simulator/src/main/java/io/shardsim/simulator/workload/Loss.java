package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.ArrayList;
import java.util.List;

/**
 * Logits of the hidden state and their cross entropy.
 *
 * @param tied whether the logits reuse the token embedding
 * @param bias whether a bias is added to each logit
 */
public record Loss(int width, boolean tied, int vocab, boolean bias, Tuning tuning) implements Operator {
    public Loss(int width, boolean tied, int vocab, boolean bias) {
        this(width, tied, vocab, bias, Tuning.TRAINED);
    }

    @Override
    public List<ParameterTensor> parameters() {
        List<ParameterTensor> tensors = new ArrayList<>();
        if (!tied) {
            tensors.add(new ParameterTensor("output.weight", weights(), DividedBy.TENSOR, tuning));
        }
        if (bias) {
            tensors.add(new ParameterTensor("output.bias", vocab, DividedBy.TENSOR, tuning));
        }
        return tensors;
    }

    @Override
    public Operator frozen() {
        return new Loss(width, tied, vocab, bias, Tuning.FROZEN);
    }

    @Override
    public long backwardFlops(int sequenceLength) {
        return (tuning.isTrained() ? 4 : 2) * weights();
    }

    @Override
    public long weights() {
        return (long) vocab * width;
    }

    @Override
    public long savedInputs() {
        return tuning.isTrained() ? width : 0;
    }
}
