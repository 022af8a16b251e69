package io.shardsim.simulator.workload;

/**
 * One parameter tensor, the unit in which DeepSpeed shards and gathers.
 *
 * @param name dotted name, without the layer index
 * @param elements number of elements, before any split among ranks
 * @param dividedBy parallelism that splits it; other ranks hold a full copy
 * @param tuning whether it is trained
 */
public record ParameterTensor(String name, long elements, DividedBy dividedBy, Tuning tuning) {

    /** Parallelism that splits a tensor among its ranks. */
    public enum DividedBy {
        NONE,
        TENSOR,
        /** Split over experts: expert parallelism, or tensor parallelism if there is none. */
        EXPERT;

        static DividedBy tensor(boolean divides) {
            return divides ? TENSOR : NONE;
        }
    }

    public boolean isTrained() {
        return tuning.isTrained();
    }

    public boolean isOfExperts() {
        return dividedBy == DividedBy.EXPERT;
    }

    /** Returns the elements on one rank of a tensor-parallel and an expert-parallel group. */
    public long elements(int tensorParallel, int expertParallel) {
        int parts = switch (dividedBy) {
            case NONE -> 1;
            case TENSOR -> tensorParallel;
            case EXPERT -> expertParallel > 1 ? expertParallel : tensorParallel;
        };
        return (elements + parts - 1) / parts;
    }

    /** Returns its bytes, given the bytes of a trained element. */
    public long bytes(int elementBytes) {
        return tuning.bytes(elements, elementBytes);
    }

    /** Returns the shard on one rank of a tensor-parallel and an expert-parallel group. */
    public ParameterTensor ofRank(int tensorParallel, int expertParallel) {
        return new ParameterTensor(name, elements(tensorParallel, expertParallel), dividedBy, tuning);
    }
}
