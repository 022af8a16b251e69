package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import java.util.Optional;

/** Groups of ranks of a job: those that split a layer or a sample, shard groups, and their replication groups. */
public final class ShardGroups {
    private ShardGroups() {}

    /** Returns the tensor-parallel groups: consecutive ranks, each with a shard of every layer. */
    static RankGroups tensor(TrainingJob job) {
        return new RankGroups("tensor", job.worldSize(), job.parallel().tensor(), 1);
    }

    /** Returns the context-parallel groups: ranks, each with a shard of every sample. */
    static RankGroups context(TrainingJob job) {
        return new RankGroups(
                "context",
                job.worldSize(),
                job.parallel().context(),
                job.parallel().tensor());
    }

    /** Returns the expert-parallel groups: ranks, each with some of the experts of every layer. */
    static RankGroups experts(TrainingJob job) {
        int slices = job.parallel().expertTensor();
        return new RankGroups("experts", job.worldSize(), job.parallel().expertParallel(), slices);
    }

    /** Returns the groups of neighbouring ranks, each with a part of the width of the same experts. */
    static RankGroups expertTensor(TrainingJob job) {
        return new RankGroups("expert tensor", job.worldSize(), job.parallel().expertTensor(), 1);
    }

    /** Returns the groups of ranks with the same experts. */
    public static RankGroups expertReplicas(TrainingJob job) {
        int experts = job.parallel().experts();
        return new RankGroups("expert replicas", job.worldSize(), job.stageRanks() / experts, experts);
    }

    /** Returns the ranks of a shard group that together hold one copy of the sharded states of their experts. */
    public static RankGroups expertShard(RankGroups shard, TrainingJob job) {
        int experts = job.parallel().experts();
        return new RankGroups("expert shard", job.worldSize(), shard.size() * shard.stride() / experts, experts);
    }

    /**
     * Returns the data-parallel ranks that together hold one copy of the sharded states of their part of the model: neighbours, or a stride of the
     * tensor-parallel degree apart.
     */
    public static RankGroups shard(int size, TrainingJob job) {
        return new RankGroups("shard", job.worldSize(), size, job.parallel().tensor());
    }

    /** Returns the ranks with the same shard in different shard groups. */
    public static RankGroups replication(RankGroups shard, TrainingJob job) {
        return new RankGroups(
                "replication", job.worldSize(), job.dataParallel() / shard.size(), shard.size() * shard.stride());
    }

    /** Rounds elements up so that all shards are equal. */
    public static long padded(long elements, int ranks) {
        return Math.multiplyExact((elements + ranks - 1) / ranks, (long) ranks);
    }

    /** Returns why a group size does not suit the data-parallel ranks; 0 means the default and is always valid. */
    public static Optional<Refusal> problem(String name, int size, TrainingJob job) {
        int ranks = job.dataParallel();
        if (size >= 0 && (size == 0 || ranks % size == 0)) {
            return Optional.empty();
        }
        String what = ranks == job.worldSize()
                ? "world size " + ranks
                : ranks + " data-parallel ranks (world size " + job.worldSize() + " / "
                        + job.parallel().ranks() + " ranks of a model)";
        return Optional.of(Refusal.of(
                name + " " + size + " does not divide " + what + "; " + NearestNumbers.divisors(ranks, size), name));
    }
}
