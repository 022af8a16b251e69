package io.shardsim.simulator.workload;

/**
 * One parameter tensor, the unit in which DeepSpeed shards and gathers.
 *
 * @param name dotted name, without the layer index
 * @param elements number of elements, before any tensor-parallel split
 * @param splitByTensorParallel whether tensor parallelism divides it among its ranks (the others hold a full copy)
 * @param tuning whether it is trained
 */
public record ParameterTensor(String name, long elements, boolean splitByTensorParallel, Tuning tuning) {

    public boolean isTrained() {
        return tuning.isTrained();
    }

    /** Elements that one rank of a tensor-parallel group holds. */
    public long elements(int tensorParallel) {
        return splitByTensorParallel ? (elements + tensorParallel - 1) / tensorParallel : elements;
    }

    /** Bytes of it where a trained element has so many. */
    public long bytes(int elementBytes) {
        return tuning.bytes(elements, elementBytes);
    }

    /** The part that one rank of a tensor-parallel group holds. */
    public ParameterTensor ofRank(int tensorParallel) {
        return new ParameterTensor(name, elements(tensorParallel), splitByTensorParallel, tuning);
    }
}
