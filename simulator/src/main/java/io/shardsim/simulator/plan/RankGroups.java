package io.shardsim.simulator.plan;

/**
 * Ranks divided into equal groups: the group of rank r holds the ranks that differ from r by multiples of the stride within a block of size x stride
 * ranks. Blocks begin at rank {@code first}; ranks before it are in no group.
 *
 * <p>Without tensor parallelism, shard groups have stride 1; the replication groups for shard groups of p ranks have size worldSize / p and stride p.
 *
 * @param name name, for example {@code shard}
 * @param first least rank of the first block; only pairs of pipeline stages begin elsewhere than at 0
 */
public record RankGroups(String name, int worldSize, int size, int stride, int first) {
    public RankGroups {
        if (size < 1 || stride < 1 || first < 0) {
            throw new IllegalArgumentException(
                    name + " group size " + size + ", stride " + stride + ", first rank " + first + " make no group");
        }
    }

    /** Creates groups of all ranks. */
    public RankGroups(String name, int worldSize, int size, int stride) {
        this(name, worldSize, size, stride, 0);
        if (worldSize % (size * stride) != 0) {
            throw new IllegalArgumentException(
                    name + " group size " + size + " x stride " + stride + " does not divide world size " + worldSize);
        }
    }

    /** Creates pairs of ranks at the same position of two pipeline stages. */
    public static RankGroups between(int stage, int laterStage, int stageRanks, int worldSize) {
        return new RankGroups(
                "stages " + stage + " and " + laterStage,
                worldSize,
                2,
                (laterStage - stage) * stageRanks,
                stage * stageRanks);
    }

    /** Returns the global ranks of the group that holds a rank, in group order. */
    public int[] membersOf(int rank) {
        int least = firstOf(rank);
        int[] members = new int[size];
        for (int i = 0; i < size; i++) {
            members[i] = least + i * stride;
        }
        return members;
    }

    /** Returns the position of a rank in its group. */
    public int memberIndex(int rank) {
        return (rank - first) % (size * stride) / stride;
    }

    /** Returns the least rank of the group that holds a rank; it identifies the group. */
    public int firstOf(int rank) {
        int block = size * stride;
        int place = rank - first;
        return first + place / block * block + place % stride;
    }
}
