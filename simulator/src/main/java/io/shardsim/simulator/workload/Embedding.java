package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.ArrayList;
import java.util.List;

/**
 * Lookup of tokens and of learned positions.
 *
 * @param vocab rows of the token embedding; 0 to look tokens up in another one
 * @param positions rows of the position embedding; 0 for none
 * @param types rows of the embedding of token types; 0 for none
 */
public record Embedding(int vocab, int positions, int types, int width, Tuning tuning) implements Operator {
    Embedding(int vocab, int positions, int types, int width) {
        this(vocab, positions, types, width, Tuning.TRAINED);
    }

    @Override
    public List<ParameterTensor> parameters() {
        List<ParameterTensor> tensors = new ArrayList<>();
        if (vocab > 0) {
            tensors.add(new ParameterTensor("embedding.tokens", (long) vocab * width, DividedBy.TENSOR, tuning));
        }
        addTable(tensors, "embedding.positions", positions);
        addTable(tensors, "embedding.types", types);
        return tensors;
    }

    private void addTable(List<ParameterTensor> tensors, String name, int rows) {
        if (rows > 0) {
            tensors.add(new ParameterTensor(name, (long) rows * width, DividedBy.NONE, tuning));
        }
    }

    @Override
    public Operator frozen() {
        return new Embedding(vocab, positions, types, width, Tuning.FROZEN);
    }
}
