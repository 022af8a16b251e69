package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/**
 * Ranks over which parameters are sharded and gathered, and the replicas of a shard. Gathers and reductions of one group share a communicator, so
 * they are serialized; other groups do not wait for them.
 */
final class Sharding {
    private final StepWriter writer;
    private final RankGroups shard;
    private final RankGroups replication;
    private final String gatherAlgorithm;
    private final String reduceAlgorithm;

    private int lastGather = StepWriter.NONE;
    private int lastReduce = StepWriter.NONE;

    /**
     * @param shard ranks over which the parameters are sharded
     * @param replication replicas of a shard
     */
    Sharding(StepWriter writer, StrategyParameters settings, RankGroups shard, RankGroups replication) {
        this.writer = writer;
        this.shard = shard;
        this.replication = replication;
        gatherAlgorithm = settings.name("gather_algorithm");
        reduceAlgorithm = settings.name("reduce_algorithm");
    }

    /** Creates the sharding of experts, which differ among the ranks of an expert-parallel group. */
    Sharding ofExperts(TrainingJob job, StrategyParameters settings) {
        return new Sharding(writer, settings, ShardGroups.expertShard(shard, job), replication);
    }

    /** Returns the ranks over which the parameters are sharded. */
    RankGroups shard() {
        return shard;
    }

    /** Returns the number of ranks that share one copy. */
    int ranks() {
        return shard.size();
    }

    /** All-gathers the bytes over the group. */
    int gather(long bytes, String label, int ready) {
        lastGather = writer.gather(shard, bytes, gatherAlgorithm, label, ready, lastReduce);
        return lastGather;
    }

    /** Reduce-scatters the bytes, then all-reduces the shards among replicas. */
    int reduce(long bytes, String label, int ready) {
        lastReduce = writer.reduceScatter(shard, bytes, reduceAlgorithm, label, ready, lastGather);
        if (replication.size() > 1) {
            lastReduce = writer.allReduce(
                    replication, bytes / shard.size(), reduceAlgorithm, "all-reduce among replicas", lastReduce);
        }
        return lastReduce;
    }

    /** Sums the norm of the shards. */
    int sumNorm(int ready) {
        return writer.allReduce(shard, 4, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", ready);
    }

    /**
     * Parameters that are gathered and reduced together.
     *
     * @param name name of the parameters
     * @param elements trained elements, which are reduced
     * @param bytes gathered bytes of all parameters
     */
    record Part(Sharding over, String name, long elements, long bytes) {
        /** Creates a part, padded so that all shards are equal. */
        static Part of(Sharding over, String name, long trained, long frozenBytes, long elementBytes) {
            long elements = ShardGroups.padded(trained, over.ranks());
            long bytes = elementBytes * elements + ShardGroups.padded(frozenBytes, over.ranks());
            return new Part(over, name, elements, bytes);
        }

        long shardElements() {
            return elements / over.ranks();
        }

        long shardBytes() {
            return bytes / over.ranks();
        }
    }
}
