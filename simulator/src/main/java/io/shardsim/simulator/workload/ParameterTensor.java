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
        /** Split over the ranks that together hold all experts, or by tensor parallelism if each rank holds all. */
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

    /** Returns the elements on one rank of a tensor-parallel group, and of the ranks that together hold all experts. */
    public long elements(int tensorParallel, int expertRanks) {
        int parts = switch (dividedBy) {
            case NONE -> 1;
            case TENSOR -> tensorParallel;
            case EXPERT -> expertRanks > 1 ? expertRanks : tensorParallel;
        };
        return (elements + parts - 1) / parts;
    }

    /** Returns its bytes, given the bytes of a trained element. */
    public long bytes(int elementBytes) {
        return tuning.bytes(elements, elementBytes);
    }

    /** Returns the shard on one rank of a tensor-parallel group, and of the ranks that together hold all experts. */
    public ParameterTensor ofRank(int tensorParallel, int expertRanks) {
        return new ParameterTensor(name, elements(tensorParallel, expertRanks), dividedBy, tuning);
    }
}
