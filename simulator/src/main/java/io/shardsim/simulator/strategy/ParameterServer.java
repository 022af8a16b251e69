package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work.Kind;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;

/**
 * Synchronous parameter servers on the hosts of the workers: every node serves an equal share of the parameters [1].
 *
 * <ul>
 *   <li>The GPUs of a node sum their gradients, and each pushes its part of the sums: a slice to every server, through host memory.
 *   <li>A server adds up the slices of all nodes and updates its parameters, at the rate of host memory. Optimizer states are on the servers.
 *   <li>Each node pulls the parameters of all servers, and its GPUs share them.
 *   <li>Layers are pushed and pulled as their gradients become ready, so pushes of one overlap with pulls of another.
 * </ul>
 *
 * <p>S bytes of gradients on n nodes move {@code (n - 1) / n x S} out of a node with the pushes, and as much with the pulls [2].
 *
 * <p>Leaves out servers on machines of their own, arrays too small to be divided, which MXNet spreads over servers by their key, asynchronous updates, and the memory of the hosts.
 *
 * <p>[1] Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014; apache/mxnet 1.9.1 (3f8f3be9),
 * src/kvstore/kvstore_dist.h:620-660 and kvstore_dist_server.h:345 (ApplyUpdates in sync mode). [2] Jiang et al., BytePS, OSDI 2020, section 2.2.
 */
public final class ParameterServer extends Ddp {
    /** Bytes that a server moves per parameter and update: SGD with momentum reads sum, weight and momentum and writes the latter two. */
    private static final long UPDATE_BYTES = 20;

    private static final double PS_PER_SECOND = 1e12;

    public ParameterServer(StrategyParameters settings) {
        super(settings);
    }

    @Override
    boolean isPyTorchs() {
        return false;
    }

    @Override
    ReplicatedStep step(TrainingJob job, StepWriter writer, int stage) {
        return new ServedStep(job, writer, stage);
    }

    private final class ServedStep extends Step {
        private final RankGroups node;
        private final RankGroups between;

        ServedStep(TrainingJob job, StepWriter writer, int stage) {
            super(job, writer, stage);
            node = ShardGroups.shard(Math.min(job.gpusPerNode(), job.dataParallel()), job);
            between = ShardGroups.replication(node, job);
        }

        @Override
        long momentBytes() {
            return 0;
        }

        @Override
        protected boolean goesAfter(long bucketElements) {
            return gradientBytes() * bucketElements >= settings.whole("key_size");
        }

        @Override
        protected int reduce(Bucket bucket, int computed) {
            long elements = ShardGroups.padded(bucket.elements(), job.dataParallel());
            long bytes = gradientBytes() * elements;
            long share = bytes / node.size();
            int summed = writer.reduceScatter(node, bytes, "auto", "sum gradients in node", computed);
            int stored = writer.hostCopy(Stream.REDUCE, Kind.HOST_STORE, share, "store gradients", summed);
            int pushed =
                    between.size() == 1 ? stored : writer.allToAll(between, share, "auto", "push gradients", stored);
            int updated = writer.host(servePs(elements / between.size()), "update on the server", pushed);
            int pulled = between.size() == 1
                    ? updated
                    : writer.gather(between, share, settings.name("pull_algorithm"), "pull parameters", updated);
            int loaded = writer.hostCopy(Stream.GATHER, Kind.HOST_LOAD, share, "load parameters", pulled);
            return writer.gather(node, bytes, "auto", "share parameters in node", loaded);
        }

        /** Returns the time for a server to add up and update parameters [ps]. */
        private long servePs(long elements) {
            double bytes = (double) elements * (between.size() * gradientBytes() + UPDATE_BYTES);
            return (long) Math.ceil(bytes / settings.whole("server_rate") * PS_PER_SECOND);
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            return gradientsReady;
        }

        @Override
        protected void update(int prepared) {
            writer.free(MemoryOwner.PARAMETERS, castBytes());
            writer.copy(Stream.COMPUTE, 0, "wait for the servers", prepared);
        }
    }
}
