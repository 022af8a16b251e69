package io.shardsim.simulator.strategy;

/**
 * All ranks divided into equal groups: the group of rank r holds the ranks that differ from r by multiples of the stride within a block of
 * size x stride ranks.
 *
 * <p>Shard groups have stride 1; the replication groups that go with shard groups of p ranks have size worldSize / p and stride p.
 *
 * @param name for example {@code shard}
 */
public record RankGroups(String name, int worldSize, int size, int stride) {
    public RankGroups {
        if (size < 1 || stride < 1 || worldSize % (size * stride) != 0) {
            throw new IllegalArgumentException(
                    name + " group size " + size + " x stride " + stride + " does not divide world size " + worldSize);
        }
    }

    /** Global ranks of the group that holds a rank, in group order. */
    public int[] membersOf(int rank) {
        int block = size * stride;
        int first = rank / block * block + rank % stride;
        int[] members = new int[size];
        for (int i = 0; i < size; i++) {
            members[i] = first + i * stride;
        }
        return members;
    }

    /** Position of a rank in its group. */
    public int memberIndex(int rank) {
        return rank % (size * stride) / stride;
    }

    /** Least rank of the group that holds a rank; names the group. */
    public int firstOf(int rank) {
        int block = size * stride;
        return rank / block * block + rank % stride;
    }
}
