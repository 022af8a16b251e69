package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/**
 * Ranks over which parameters are sharded and gathered, and those that hold the same shard. Gathers and reductions of one group share a communicator, so each waits
 * for the last of the others; another group's do not wait for them.
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
     * @param shard over which the parameters are sharded
     * @param replication ranks that hold the same shard
     */
    Sharding(StepWriter writer, StrategyParameters settings, RankGroups shard, RankGroups replication) {
        this.writer = writer;
        this.shard = shard;
        this.replication = replication;
        gatherAlgorithm = settings.name("gather_algorithm");
        reduceAlgorithm = settings.name("reduce_algorithm");
    }

    /** The same for experts, of which each rank of an expert-parallel group has others. */
    Sharding ofExperts(TrainingJob job, StrategyParameters settings) {
        return new Sharding(writer, settings, ShardGroups.expertShard(shard, job), replication);
    }

    /** Ranks that share one copy. */
    int ranks() {
        return shard.size();
    }

    /** Gathers so many bytes over the group. */
    int gather(long bytes, String label, int ready) {
        lastGather = writer.gather(shard, bytes, gatherAlgorithm, label, ready, lastReduce);
        return lastGather;
    }

    /** Reduces so many bytes to shards, and these among the replicas. */
    int reduce(long bytes, String label, int ready) {
        lastReduce = writer.reduceScatter(shard, bytes, reduceAlgorithm, label, ready, lastGather);
        if (replication.size() > 1) {
            lastReduce = writer.allReduce(
                    replication, bytes / shard.size(), reduceAlgorithm, "all-reduce among replicas", lastReduce);
        }
        return lastReduce;
    }

    /** Adds up the norm of the shards. */
    int sumNorm(int ready) {
        return writer.allReduce(shard, 4, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", ready);
    }

    /**
     * Parameters that are gathered and reduced together.
     *
     * @param name what they are
     * @param elements that are trained, and so reduced
     * @param bytes of all of them, as they are gathered
     */
    record Part(Sharding over, String name, long elements, long bytes) {
        /** Padded, so that all shards are equal. */
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
