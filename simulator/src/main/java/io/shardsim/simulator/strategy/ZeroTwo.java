package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.PlanSize;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.AllocatorReplay;
import io.shardsim.simulator.strategy.writing.AllocatorReplay.Gradients;
import io.shardsim.simulator.strategy.writing.HostOffload;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.List;

/**
 * ZeRO stages 1 and 2 of DeepSpeed 0.7.2: every rank holds all 16-bit parameters; optimizer states, and in stage 2 gradients, are sharded over all
 * ranks [1, sections 5.1 and 5.2].
 *
 * <ul>
 *   <li>Stage 2 reduces every bucket of every micro-batch to the ranks that own its shards, and frees the rest; stage 1 accumulates all gradients and
 *       reduces in the last micro-batch [2, reduce_ready_partitions_and_remove_grads].
 *   <li>Without overlap, the default of these stages, backward waits for each bucket.
 *   <li>After the update all ranks gather the new parameters in buckets [2, all_gather_dp_groups], not overlapped.
 * </ul>
 *
 * <p>Volume: one model size reduced and one gathered, together the volume of an all-reduce. Model states of Psi parameters over N ranks: 4 Psi + 12
 * Psi / N bytes in stage 1, 2 Psi + 14 Psi / N in stage 2 [1, figure 1].
 *
 * <p>Experts that expert parallelism distributes have buckets and shards of their own, among the ranks that hold the same ones [3].
 *
 * <p>DeepSpeed reduces each shard of a bucket to its owner with a separate collective; here a bucket is one reduce-scatter, which moves equally many
 * bytes in fewer steps. Since v0.12.4 it may all-reduce a flat copy of the bucket instead, of which each rank keeps its shards [2,
 * allreduce_and_copy_with_multiple_ranks]. States may be kept in host memory ({@link HostOffload}). Leaves out the device synchronization caused by
 * overlap.
 *
 * <p>[1] Rajbhandari et al., arXiv:1910.02054. [2] deepspeed/runtime/zero/stage_1_and_2.py, deepspeed/runtime/utils.py, v0.7.2. [3] The same files,
 * v0.19.6, expert_dp_process_group.
 */
public final class ZeroTwo extends ShardingStrategy {
    public ZeroTwo(StrategyParameters settings) {
        super(settings);
    }

    @Override
    protected MemoryFit fit(MemoryFit byLedger, TrainingJob job, StepPlan plan, GpuMemory memory) {
        return AllocatorReplay.refine(
                byLedger, job, plan, memory, settings.flag("partition_gradients") ? Gradients.BUFFER : Gradients.OWN);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(
                job,
                settings,
                StepWriter.ALLOCATED_IN_STEP,
                writer -> ReplicatedStep.write(job, writer, stage -> new Step(job, writer, stage)));
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        return sequenceProblems();
    }

    @Override
    protected boolean trainsAdapters() {
        return true;
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(job.dataParallel(), job);
    }

    private final class Step extends ReplicatedStep {
        private final boolean partitionsGradients = settings.flag("partition_gradients");
        private final long reduceBucket = settings.whole("reduce_bucket_size");
        private final boolean overlaps = settings.flag("overlap_comm");
        private final boolean allReduces = settings.flag("use_multi_rank_bucket_allreduce");
        private final boolean reducesAfterBackward = settings.flagOr("reduce_after_backward", false);
        private final long reduceBytes =
                settings.flag("reduce_in_fp32") ? 4 : job.precision().bytes();
        private final HostOffload offload = HostOffload.of(settings);
        private boolean lastMicroBatch;

        Step(TrainingJob job, StepWriter writer, int stage) {
            super(job, writer, stage, settings.flag("overlap_comm"));
        }

        private long shardElements() {
            return replicas().stream().mapToLong(this::shardElements).sum();
        }

        private long shardElements(RankGroups among) {
            return ShardGroups.padded(parameters(among), among.size()) / among.size();
        }

        @Override
        protected void holdStates() {
            writer.allocate(MemoryOwner.PARAMETERS, bytes(parameters()) + frozenBytes());
            if (!partitionsGradients) {
                writer.allocate(MemoryOwner.GRADIENTS, bytes(parameters()));
            } else if (!offload.optimizer()) {
                writer.allocate(MemoryOwner.GRADIENTS, bytes(shardElements()));
            }
            if (!offload.optimizer()) {
                writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.optimizerBytes(shardElements()));
            }
            writer.allocate(MemoryOwner.BUCKETS, ((overlaps ? 2 : 1) + (allReduces ? 1 : 0)) * bytes(reduceBucket));
        }

        @Override
        protected boolean reducesIn(boolean last) {
            lastMicroBatch = last;
            return last || partitionsGradients;
        }

        @Override
        protected boolean goesBefore(long bucketElements, long nextElements) {
            return bucketElements + nextElements > reduceBucket;
        }

        @Override
        protected boolean goesAfter(long bucketElements) {
            return false;
        }

        @Override
        protected boolean holdsBuckets() {
            return reducesAfterBackward;
        }

        @Override
        protected int reduce(Bucket bucket, int computed) {
            long elements = bucket.elements();
            RankGroups among = bucket.among();
            long padded = ShardGroups.padded(elements, among.size());
            int filled = writer.copy(Stream.REDUCE, 4 * bytes(elements), "fill bucket", computed);
            long own = padded / among.size();
            long copied = reduceBytes == bytes(1) ? 0 : reduceBytes * padded;
            writer.allocate(MemoryOwner.BUCKETS, copied);
            int reduced = allReduces ? allReduce(among, padded, filled) : reduceToOwners(among, padded, filled);
            writer.free(MemoryOwner.BUCKETS, copied);
            if (!offload.optimizer()) {
                return writer.copy(Stream.REDUCE, 3 * bytes(own), "accumulate gradients", reduced);
            }
            return partitionsGradients && job.accumulationSteps() > 1
                    ? offload.accumulate(writer, job, own, lastMicroBatch, reduced)
                    : offload.storeForUpdate(writer, own, reduced);
        }

        private int reduceToOwners(RankGroups among, long elements, int filled) {
            int reduced = writer.reduceScatter(
                    among,
                    reduceBytes * elements,
                    settings.name("reduce_algorithm"),
                    "reduce bucket to owners",
                    cast(elements, filled));
            return cast(elements / among.size(), reduced);
        }

        private int allReduce(RankGroups among, long elements, int filled) {
            int flat = writer.copy(Stream.REDUCE, 2 * bytes(elements), "flatten bucket", filled);
            int summed = writer.allReduce(
                    among,
                    reduceBytes * elements,
                    settings.name("reduce_algorithm"),
                    "all-reduce bucket",
                    cast(elements, flat));
            return writer.copy(
                    Stream.REDUCE, 2 * bytes(elements / among.size()), "keep own parts", cast(elements, summed));
        }

        /** Casts gradients to the format of the reduction, or back. */
        private int cast(long elements, int ready) {
            return reduceBytes == bytes(1)
                    ? ready
                    : writer.copy(Stream.REDUCE, (bytes(1) + reduceBytes) * elements, "cast gradients", ready);
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            int overflow =
                    writer.allReduce(world, 1, StepWriter.SCALAR_ALGORITHM, "all-reduce overflow flag", gradientsReady);
            int norm = offload.optimizer()
                    ? overflow
                    : writer.compute(Work.Kind.GRADIENT_NORM, shardElements(), "gradient norm", overflow);
            return writer.allReduce(world, 8, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", norm);
        }

        @Override
        protected int gradientBytes() {
            return job.precision().bytes();
        }

        @Override
        protected void update(int summed) {
            if (offload.optimizer()) {
                updateOnHost(summed);
                return;
            }
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.precision().isMixed() ? 4 * shardElements() : 0);
            int updated = writer.compute(Work.Kind.OPTIMIZER_STEP, shardElements(), "optimizer step", summed);
            writer.free(MemoryOwner.OPTIMIZER_STATES, job.precision().isMixed() ? 4 * shardElements() : 0);
            gatherParameters(updated);
        }

        /** Updates on the host; new parameters are copied back while later ones are updated. */
        private void updateOnHost(int summed) {
            int updated = offload.update(writer, job, shardElements(), summed);
            int back = writer.hostCopy(
                    Stream.COPY, Work.Kind.HOST_LOAD, bytes(shardElements()), "load updated parameters", summed);
            gatherParameters(updated, back);
        }

        private void gatherParameters(int... updated) {
            replicas().forEach(among -> gatherParameters(among, updated));
        }

        private void gatherParameters(RankGroups among, int... updated) {
            long remaining = shardElements(among);
            long most = Math.max(1, settings.whole("allgather_bucket_size") / among.size());
            PlanSize.foresee(
                    remaining / most,
                    "allgather_bucket_size " + settings.whole("allgather_bucket_size"),
                    "a larger one",
                    "strategy.allgather_bucket_size");
            while (remaining > 0) {
                long part = Math.min(remaining, most);
                writer.gather(
                        among,
                        bytes(part * among.size()),
                        settings.name("gather_algorithm"),
                        "gather updated parameters",
                        updated);
                remaining -= part;
            }
        }
    }
}
