package io.shardsim.simulator.workload;

/**
 * One parameter tensor, the unit in which DeepSpeed shards and gathers.
 *
 * @param name dotted name, without the layer index
 * @param elements number of elements, before any tensor-parallel split
 * @param splitByTensorParallel whether tensor parallelism divides it among its ranks (the others hold a full copy)
 */
public record ParameterTensor(String name, long elements, boolean splitByTensorParallel) {

    /** Elements that one rank of a tensor-parallel group holds. */
    public long elements(int tensorParallel) {
        return splitByTensorParallel ? (elements + tensorParallel - 1) / tensorParallel : elements;
    }
}
