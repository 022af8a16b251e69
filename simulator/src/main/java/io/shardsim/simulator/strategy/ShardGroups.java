package io.shardsim.simulator.strategy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Arithmetic of shard groups and of the replication groups that go with them. */
final class ShardGroups {
    private ShardGroups() {}

    /** Neighbouring ranks that together hold one copy of the sharded states. */
    static RankGroups shard(int size, int worldSize) {
        return new RankGroups("shard", worldSize, size, 1);
    }

    /** Ranks that hold the same shard in different shard groups. */
    static RankGroups replication(RankGroups shard) {
        return new RankGroups("replication", shard.worldSize(), shard.worldSize() / shard.size(), shard.size());
    }

    /** Elements rounded up so that all shards are equal. */
    static long padded(long elements, int ranks) {
        return Math.multiplyExact((elements + ranks - 1) / ranks, (long) ranks);
    }

    /** Why a group size does not suit the world; 0 means the default and always does. */
    static Optional<String> problem(String name, int size, int worldSize) {
        if (size >= 0 && (size == 0 || worldSize % size == 0)) {
            return Optional.empty();
        }
        return Optional.of(name + " " + size + " does not divide world size " + worldSize + "; nearest divisors: "
                + nearestDivisors(size, worldSize));
    }

    private static List<Integer> nearestDivisors(int size, int worldSize) {
        List<Integer> nearest = new ArrayList<>();
        for (int below = Math.min(size, worldSize); below > 0; below--) {
            if (worldSize % below == 0) {
                nearest.add(below);
                break;
            }
        }
        for (int above = Math.max(size, 1); above <= worldSize; above++) {
            if (worldSize % above == 0) {
                nearest.add(above);
                break;
            }
        }
        return nearest;
    }
}
