package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * QK-norm: RMSNorm of each head's queries and keys; heads share one weight for queries and one for keys (huggingface/transformers,
 * models/qwen3/modeling_qwen3.py, Qwen3Attention, q_norm and k_norm).
 */
public record QueryKeyNorm(int heads, int kvHeads, int headDim, Tuning tuning) implements Operator {
    public QueryKeyNorm(int heads, int kvHeads, int headDim) {
        this(heads, kvHeads, headDim, Tuning.TRAINED);
    }

    @Override
    public Operator frozen() {
        return new QueryKeyNorm(heads, kvHeads, headDim, Tuning.FROZEN);
    }

    /** Returns the total width of queries, and of keys. */
    public List<Integer> widths() {
        return List.of(heads * headDim, kvHeads * headDim);
    }

    @Override
    public List<ParameterTensor> parameters() {
        return List.of(
                new ParameterTensor("attention.query_norm.weight", headDim, DividedBy.NONE, tuning),
                new ParameterTensor("attention.key_norm.weight", headDim, DividedBy.NONE, tuning));
    }

    @Override
    public long savedInputs() {
        return (long) (heads + kvHeads) * headDim;
    }

    @Override
    public long cheapResults() {
        return savedInputs();
    }

    @Override
    public long rmsNormed() {
        return savedInputs();
    }

    @Override
    public boolean takesPart() {
        return true;
    }
}
