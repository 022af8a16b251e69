package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Horovod: every rank holds all model states; a background thread fuses ready gradients and all-reduces them [1].
 *
 * <ul>
 *   <li>The thread wakes once a cycle. It fuses the gradients that became ready since, in buffers of at most the fusion threshold. A plan has no
 *       clock, so a setting says how many layers a cycle finds ready.
 *   <li>Gradients wait half a cycle on average, and until all ranks agree on the cycle's tensors: MPI combines a bit vector over all ranks, in as
 *       many steps as the world doubles [2].
 *   <li>Gradients are copied into the buffer and back, and cast with FP16 compression.
 *   <li>A trainer may clip the gradients of every micro-batch by their norm before it adds them up. Then reductions wait for the whole backward, and the
 *       next micro-batch for all ranks to agree that these gradients are finite [4].
 *   <li>The all-reduce is flat, or hierarchical: reduce-scatter in the node, all-reduce between nodes, gather in the node [3].
 * </ul>
 *
 * <p>Leaves out Adasum. Hierarchical all-reduces between nodes are NCCL's here; Horovod's are MPI's, through host memory. A buffer of one tensor is
 * copied here too.
 *
 * <p>[1] Sergeev and Del Balso, arXiv:1802.05799, section 4. [2] horovod v0.20.3 (b3c4d813), horovod/common/operations.cc:571 (RunLoopOnce),
 * controller.cc:138 and mpi/mpi_controller.cc:90. [3] The same, ops/nccl_operations.cc:298-369. [4]
 * NVIDIA/DeepLearningExamples, TensorFlow/LanguageModeling/BERT/optimization.py at 729963dd.
 */
public final class Horovod extends Ddp {
    private static final int HALF_BYTES = 2;

    public Horovod(StrategyParameters settings) {
        super(settings);
    }

    @Override
    boolean isPyTorchs() {
        return false;
    }

    @Override
    ReplicatedStep step(TrainingJob job, StepWriter writer, int stage) {
        return new FusedStep(job, writer, stage);
    }

    @Override
    protected Map<String, String> ownIdle(TrainingJob job) {
        Map<String, String> idle = new LinkedHashMap<>(super.ownIdle(job));
        if (job.worldSize() <= job.gpusPerNode()) {
            idle.put("hierarchical_all_reduce", "on one node");
        }
        if (job.accumulationSteps() == 1) {
            idle.put("clip_micro_batches", "with one micro-batch per step");
        }
        return idle;
    }

    private boolean clipsMicroBatches(TrainingJob job) {
        return settings.flag("clip_micro_batches") && job.accumulationSteps() > 1;
    }

    private final class FusedStep extends Step {
        private final long fusionBytes = settings.whole("fusion_buffer");
        private final boolean compresses = settings.flag("fp16_compression");
        private final RankGroups node;
        private final RankGroups between;
        /** Elements that the backward has given since the last buffer closed, and the layers that they are of. */
        private long readyElements;

        private int readyLayers;

        /** Operation that the current cycle waits for, and the agreement on its tensors. */
        private int cycle = StepWriter.NONE;

        private int agreed = StepWriter.NONE;

        FusedStep(TrainingJob job, StepWriter writer, int stage) {
            super(job, writer, stage, !clipsMicroBatches(job));
            boolean hierarchical = settings.flag("hierarchical_all_reduce") && job.worldSize() > job.gpusPerNode();
            node = ShardGroups.shard(hierarchical ? job.gpusPerNode() : 1, job);
            between = ShardGroups.replication(node, job);
        }

        @Override
        long bucketBytes() {
            return Math.min(fusionBytes, gradientBytes() * parameters());
        }

        @Override
        protected int gradientBytes() {
            return compresses ? HALF_BYTES : super.gradientBytes();
        }

        /** Starts a backward: gradients of earlier micro-batches were added up, not queued. */
        @Override
        protected boolean reducesIn(boolean lastMicroBatch) {
            readyElements = 0;
            readyLayers = 0;
            return super.reducesIn(lastMicroBatch);
        }

        @Override
        protected int afterBackward(long elements, int computed) {
            readyElements += elements;
            readyLayers++;
            return super.afterBackward(elements, computed);
        }

        @Override
        protected boolean goesBefore(long bucketElements, long nextElements) {
            boolean full = bucketElements > 0 && gradientBytes() * (bucketElements + nextElements) > fusionBytes;
            readyElements -= full ? bucketElements : 0;
            return full;
        }

        @Override
        protected boolean goesAfter(long bucketElements) {
            boolean found = bucketElements == readyElements && readyLayers >= settings.count("layers_per_cycle");
            if (found || gradientBytes() * bucketElements >= fusionBytes) {
                readyElements -= bucketElements;
                readyLayers = found ? 0 : readyLayers;
                return true;
            }
            return false;
        }

        @Override
        protected boolean holdsBuckets() {
            return readyLayers > 0 || clipsMicroBatches(job);
        }

        @Override
        protected int endBackward(int computed) {
            if (!clipsMicroBatches(job)) {
                return computed;
            }
            int clipped = writer.compute(Work.Kind.GRADIENT_NORM, parameters(), "clip micro-batch", computed);
            return writer.allReduce(world, 4, "auto", "all-reduce whether finite", agree(clipped));
        }

        @Override
        protected int reduce(Bucket bucket, int computed) {
            long bytes = gradientBytes() * bucket.elements();
            long copied = bucket.elements() * (super.gradientBytes() + gradientBytes());
            if (cycle != computed) {
                cycle = computed;
                agreed = agree(computed);
            }
            int filled = writer.copy(Stream.REDUCE, copied, "fill fusion buffer", agreed);
            return writer.copy(Stream.REDUCE, copied, "empty fusion buffer", reduceBuffer(bytes, filled));
        }

        private int agree(int computed) {
            int doublings = Integer.SIZE - Integer.numberOfLeadingZeros(job.dataParallel() - 1);
            long waitPs = settings.whole("cycle_time") / 2 + doublings * settings.whole("negotiation_time");
            return waitPs == 0 ? computed : writer.host(waitPs, "wait for the cycle", computed);
        }

        private int reduceBuffer(long bytes, int filled) {
            String algorithm = settings.name("reduce_algorithm");
            if (node.size() == 1) {
                return writer.allReduce(world, bytes, algorithm, "all-reduce buffer", filled);
            }
            long padded = ShardGroups.padded(bytes, node.size());
            int scattered = writer.reduceScatter(node, padded, "auto", "reduce-scatter buffer in node", filled);
            int reduced = writer.allReduce(
                    between, padded / node.size(), algorithm, "all-reduce buffer between nodes", scattered);
            return writer.gather(node, padded, "auto", "gather buffer in node", reduced);
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            return job.gradientClipping() > 0 && !clipsMicroBatches(job)
                    ? writer.compute(Work.Kind.GRADIENT_NORM, parameters(), "gradient norm", gradientsReady)
                    : gradientsReady;
        }
    }
}
