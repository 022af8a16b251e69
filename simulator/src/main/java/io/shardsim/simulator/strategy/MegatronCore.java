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
 * Data parallelism as Megatron-Core runs it with its distributed optimizer: parameters and gradients lie on every rank in two contiguous buffers,
 * optimizer states are split over the data-parallel ranks [1]. It departs from {@link Megatron} in these:
 *
 * <ul>
 *   <li>Gradients, in FP32 unless told otherwise, are divided by the number of data-parallel ranks and reduce-scattered, once a step [2,
 *       start_grad_sync]. Each rank updates its part, and all ranks gather the new parameters in 16 bits [1, step_with_ready_grads].
 *   <li>Without {@code overlap_grad_reduce} that is one reduction of all gradients of a piece of the model, after the last backward. With it
 *       buckets go off beside the last micro-batch's backward once they hold the bucket's size of parameters [3, __init__; 1,
 *       _compute_per_buffer_param_layout]. All pieces of the model but the first, on whichever pipeline stage, have one bucket each: their
 *       communication is not on the critical path [3, __init__].
 *   <li>Without {@code overlap_param_gather} the gathers follow the update, not overlapped. With it they overlap with the forward of the
 *       next step, so at the start of a step here: a module waits for its bucket, and the next bucket's gather goes off when compute has come that
 *       far [2, finish_param_sync]. Later stages come that far when their first activations have arrived, so nothing hides their gather. Under an
 *       interleaved schedule the gathers of the first two pieces begin with the step, those of each later piece with the first forward of the
 *       piece before [4].
 * </ul>
 *
 * <p>Model states of Psi parameters over N ranks: 6 Psi + 12 Psi / N bytes, with 16-bit gradients 4 Psi + 16 Psi / N [5].
 *
 * <p>Leaves out: how much of what a product adds to the buffer itself (gradient_accumulation_fusion) hides behind its own arithmetic; the check for infinities before a reduction; zeroing the gradient buffer; several instances of the optimizer, padding for bus bandwidth and a
 * bucket of its own for a tied embedding; that embedding and logits are gathered in 16 bits whatever
 * the rest is; that stages of an interleaved schedule wait for each other before they reduce or gather
 * (align_grad_reduce, align_param_gather).
 *
 * <p>Megatron-LM, commit d98e8a64 of 2026-08-22: [1] megatron/core/optimizer/distrib_optimizer.py. [2]
 * megatron/core/distributed/param_and_grad_buffer.py. [3] megatron/core/distributed/distributed_data_parallel.py. [4]
 * megatron/core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving. [5]
 * docs/user-guide/features/dist_optimizer.md.
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
            problems.add(Refusal.of(
                    "overlap_param_gather true needs overlap_grad_reduce true, not false; set it, or remove"
                            + " overlap_param_gather",
                    "overlap_param_gather",
                    "overlap_grad_reduce"));
        }
        int tensor = modelParallel().tensor();
        if (job.model().mixture().isPresent() && tensor > 1 && !modelParallel().sequence()) {
            // megatron/core/transformer/moe/moe_layer.py, MoELayer.forward, raises an error.
            problems.add(Refusal.of(
                    "experts with tensor_parallel " + tensor
                            + " need sequence_parallel true, not false; set it, or remove tensor_parallel",
                    "sequence_parallel",
                    "tensor_parallel"));
        }
        if (gathersEightBits && !job.profile().eightBitProducts()) {
            problems.add(Refusal.of(
                    "fp8_param_gather true needs precision: fp8, not "
                            + job.precision().id() + "; set it, or remove fp8_param_gather",
                    "fp8_param_gather",
                    "precision"));
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
        /** Of each piece that this stage holds, the buckets of each group of replicas. */
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

        /** Weights that are gathered in FP8 are held so in place of 16, which is as much. */
        @Override
        long roundedWeightBytes() {
            return gathersEightBits ? 0 : super.roundedWeightBytes();
        }

        // Gradients.

        @Override
        protected boolean goesAfter(long bucketElements) {
            return reducesBeside && piece == 0 && bucketElements >= bucketSize;
        }

        /** A piece in one bucket takes its copy of a tied embedding along. */
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

        /** Gathers the piece after the one that goes forward for the first time; the step begins with the first two. */
        private void gatherAhead(int place) {
            int computed = place == 0 ? StepWriter.NONE : writer.result();
            buckets.stream().limit(place + 2).forEach(ofPiece -> gatherAll(ofPiece, computed));
        }

        private static void gatherAll(List<Buckets> ofPiece, int computed) {
            ofPiece.forEach(each -> each.gather(each.size(), computed));
        }

        /** Buckets of one piece that some ranks hold too, in the order in which forward needs them. */
        private final class Buckets {
            private final RankGroups among;
            private final List<Long> elements;
            /** For each bucket whose gather has gone off, that operation. */
            private final List<Integer> gathers = new ArrayList<>();

            /** Parameters that forward has asked for. */
            private long asked;
            /** Buckets that forward has waited for. */
            private int awaited;
            /** Parameters in these. */
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

            /** The operation after which the next parameters are there; what comes after their bucket is gathered beside them. */
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

            /** Sends off the gathers of the first buckets, but for those that have gone off. */
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
