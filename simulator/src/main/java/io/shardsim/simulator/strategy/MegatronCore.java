package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Data parallelism of Megatron-Core with its distributed optimizer: parameters and gradients are in two contiguous buffers on every rank, optimizer
 * states are sharded over the data-parallel ranks [1]. Differences from {@link Megatron}:
 *
 * <ul>
 *   <li>Gradients, FP32 by default, are divided by the number of data-parallel ranks and reduce-scattered, once per step [2, start_grad_sync]. Each
 *       rank updates its shard, and all ranks gather the new 16-bit parameters [1, step_with_ready_grads].
 *   <li>Without {@code overlap_grad_reduce} that is one reduction of all gradients of a model chunk, after the last backward. With it, buckets
 *       are sent during the last micro-batch's backward once they hold the bucket size in parameters [3, __init__; 1,
 *       _compute_per_buffer_param_layout]. All model chunks but the first, on any pipeline stage, have one bucket each: their communication is
 *       not on the critical path [3, __init__].
 *   <li>Without {@code overlap_param_gather} the gathers follow the update, not overlapped. With it they overlap with the forward of the next step,
 *       which is the start of a step here: a module waits for its bucket, and then issues the next bucket's gather [2, finish_param_sync]. Later
 *       stages get there when their first activations have arrived, so nothing hides their gather. Under an interleaved schedule the gathers of the
 *       first two model chunks begin with the step, those of each later model chunk with the first forward of the model chunk before [4].
 * </ul>
 *
 * <p>Model states of Psi parameters over N ranks: 6 Psi + 12 Psi / N bytes, with 16-bit gradients 4 Psi + 16 Psi / N [5].
 *
 * <p>Leaves out: the part of fused accumulation (gradient_accumulation_fusion) hidden by the GEMM's arithmetic; the check for infinities before a
 * reduction; zeroing the gradient buffer; several instances of the optimizer, padding for bus bandwidth and a separate bucket for a tied embedding;
 * gathering embedding and logits in 16 bits whatever the rest is; synchronization of an interleaved schedule's stages before they reduce or gather
 * (align_grad_reduce, align_param_gather).
 *
 * <p>Megatron-LM, commit d98e8a64 of 2026-08-22: [1] megatron/core/optimizer/distrib_optimizer.py. [2]
 * megatron/core/distributed/param_and_grad_buffer.py. [3] megatron/core/distributed/distributed_data_parallel.py. [4]
 * megatron/core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving. [5] docs/user-guide/features/dist_optimizer.md.
 */
public final class MegatronCore extends Megatron {
    private final boolean reducesBeside = settings.flag("overlap_grad_reduce");
    private final boolean gathersBeside = settings.flag("overlap_param_gather");
    private final boolean gathersEightBits = settings.flag("fp8_param_gather");

    public MegatronCore(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        return ShardGroups.shard(job.dataParallel(), job);
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>(super.ownProblems(job));
        if (gathersBeside && !reducesBeside) {
            problems.add(Refusal.needs("overlap_param_gather", "true", "overlap_grad_reduce", "true", "false"));
        }
        int tensor = modelParallel().tensor();
        if (job.model().mixture().isPresent() && tensor > 1 && !modelParallel().sequence()) {
            // megatron/core/transformer/moe/moe_layer.py, MoELayer.forward, raises an error.
            problems.add(needsSequence(tensor));
        }
        if (gathersEightBits && !job.profile().eightBitProducts()) {
            String actual = job.precision().id();
            problems.add(Refusal.needs("fp8_param_gather", "true", "precision", "fp8", actual));
        }
        return problems;
    }

    @Override
    protected Map<String, String> ownIdle(TrainingJob job) {
        return reducesBeside ? Map.of() : Map.of("bucket_size", "without overlap_grad_reduce");
    }

    @Override
    ReplicatedStep step(TrainingJob job, StepWriter writer, int stage) {
        return new Step(job, writer, stage);
    }

    private final class Step extends Megatron.Step {
        private final long bucketSize;
        /** Buckets of each replica group, by model chunk of this stage. */
        private final List<List<Buckets>> buckets = new ArrayList<>();

        Step(TrainingJob job, StepWriter writer, int stage) {
            super(job, writer, stage, reducesBeside);
            long asked = settings.whole("bucket_size");
            bucketSize = asked > 0 ? asked : Math.max(40_000_000L, 1_000_000L * world.size());
            pieces().forEach(at -> buckets.add(
                    replicas().stream().map(among -> new Buckets(at, among)).toList()));
        }

        @Override
        long updated() {
            return replicas().stream()
                    .mapToLong(among -> ShardGroups.padded(parameters(among), among.size()) / among.size())
                    .sum();
        }

        /** Returns no extra bytes if weights are gathered in FP8: both layouts together take as much as 16-bit weights. */
        @Override
        long roundedWeightBytes() {
            return gathersEightBits ? 0 : super.roundedWeightBytes();
        }

        // Gradients.

        @Override
        protected boolean goesAfter(long bucketElements) {
            return reducesBeside && piece == 0 && bucketElements >= bucketSize;
        }

        /** Reduces a bucket. A model chunk in one bucket includes its copy of a tied embedding. */
        @Override
        protected int reduce(Bucket bucket, int computed) {
            long elements = piece == 0 ? bucket.elements() : parameters(piece, bucket.among());
            return reducesBeside ? scatter(bucket.among(), elements, computed) : computed;
        }

        @Override
        int reduceRest(int gradientsReady) {
            int reduced = gradientsReady;
            if (!reducesBeside) {
                for (int at : pieces().toArray()) {
                    for (RankGroups among : replicas()) {
                        reduced = scatter(among, parameters(at, among), reduced);
                    }
                }
            }
            return reduced;
        }

        private int scatter(RankGroups among, long elements, int computed) {
            if (among.size() == 1 || elements == 0) {
                return computed;
            }
            return writer.reduceScatter(
                    among,
                    gradientBytes() * ShardGroups.padded(elements, among.size()),
                    settings.name("reduce_algorithm"),
                    "reduce-scatter gradients",
                    scale(elements, computed));
        }

        @Override
        protected int prepareUpdate(int gradientsReady) {
            int norm = super.prepareUpdate(gradientsReady);
            return job.gradientClipping() > 0 && world.size() > 1
                    ? writer.allReduce(world, 4, StepWriter.SCALAR_ALGORITHM, "all-reduce gradient norm", norm)
                    : norm;
        }

        // Parameters.

        @Override
        protected void update(int prepared) {
            super.update(prepared);
            if (!gathersBeside) {
                int updated = writer.result();
                buckets.forEach(ofPiece -> gatherAll(ofPiece, updated));
            }
        }

        @Override
        protected int beforeForward(RankGroups among, long elements) {
            if (!gathersBeside) {
                return StepWriter.NONE;
            }
            int place = piece / job.parallel().stages();
            Buckets ofPiece = buckets.get(place).get(replicas().indexOf(among));
            if (buckets.size() > 1 && ofPiece.asked == 0) {
                gatherAhead(place);
            }
            return ofPiece.await(elements);
        }

        /** Gathers the model chunk after the one that starts its first forward; the step starts with the first two. */
        private void gatherAhead(int place) {
            int computed = place == 0 ? StepWriter.NONE : writer.result();
            buckets.stream().limit(place + 2).forEach(ofPiece -> gatherAll(ofPiece, computed));
        }

        private static void gatherAll(List<Buckets> ofPiece, int computed) {
            ofPiece.forEach(each -> each.gather(each.size(), computed));
        }

        /** Buckets of one model chunk in one replica group, in forward order. */
        private final class Buckets {
            private final RankGroups among;
            private final List<Long> elements;
            /** Gather of each bucket, once issued. */
            private final List<Integer> gathers = new ArrayList<>();

            /** Parameters requested by forward. */
            private long asked;
            /** Buckets that forward has waited for. */
            private int awaited;
            /** Parameters in awaited buckets. */
            private long arrived;

            Buckets(int ofPiece, RankGroups among) {
                this.among = among;
                elements = new ArrayList<>(
                        ofPiece == 0
                                ? bucketsOf(ofPiece).stream()
                                        .filter(bucket -> bucket.among().equals(among))
                                        .map(Bucket::elements)
                                        .toList()
                                : LongStream.of(parameters(ofPiece, among))
                                        .filter(all -> all > 0)
                                        .boxed()
                                        .toList());
                Collections.reverse(elements);
            }

            int size() {
                return elements.size();
            }

            /** Returns the operation after which the next parameters are available; the bucket after theirs is gathered during their compute. */
            int await(long more) {
                asked += more;
                int last = StepWriter.NONE;
                while (arrived < asked && awaited < size()) {
                    gather(awaited + 1, writer.result());
                    last = gathers.get(awaited);
                    arrived += elements.get(awaited++);
                    gather(Math.min(awaited + 1, size()), writer.result());
                }
                return last;
            }

            /** Issues the gathers of the first buckets, unless already issued. */
            void gather(int count, int computed) {
                while (gathers.size() < count) {
                    long padded = ShardGroups.padded(elements.get(gathers.size()), among.size());
                    long bytes = gathersEightBits ? job.profile().gatheredWeightBytes() * padded : bytes(padded);
                    gathers.add(
                            among.size() == 1
                                    ? StepWriter.NONE
                                    : writer.gather(
                                            among,
                                            bytes,
                                            settings.name("gather_algorithm"),
                                            "gather updated parameters",
                                            computed));
                }
            }
        }
    }
}
