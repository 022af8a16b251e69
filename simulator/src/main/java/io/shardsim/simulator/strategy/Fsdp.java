package io.shardsim.simulator.strategy;

import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.Sharding.Part;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.ShardGroups;
import io.shardsim.simulator.strategy.writing.StepWriter;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * PyTorch's Fully Sharded Data Parallel: the parameters of each transformer layer, and the remaining ones (the root), form units that are gathered
 * and reduced together, sharded over a group of ranks [1].
 *
 * <ul>
 *   <li>Forward: a layer is gathered before it is computed and freed after it; the root stays gathered [1, section 3.2.1].
 *   <li>The rate limiter lets the host issue a gather only when the layer before the last one is freed, so at most two gathered layers are in flight
 *       [1, section 3.4]. FSDP2 has no limiter; its gathers wait for copies. Forward gathers a layer once the layer before the last one is copied
 *       out, overlapped with the forward of that one, and backward once the current layer is copied out (wait_for_unshard and pre_backward of
 *       _fsdp_param_group.py).
 *   <li>Backward: the gather of the next layer is issued before the current layer's reduce-scatter, because both run in order on their process
 *       group's single internal stream [1, section 3.3.2].
 *   <li>A checkpoint inside a unit recomputes it while it is gathered for its backward. A checkpoint around it ({@code reentrant_checkpoints}) ran
 *       its forward without gradients, so no hook prefetches the unit in backward: it is gathered for recomputation, freed, and gathered again [3].
 *   <li>The gradients of a layer are copied into its flat gradient, cast if they are reduced in FP32, divided by a factor of the rank count on the
 *       internal stream (_post_backward_hook, _div_if_needed), reduce-scattered, and added to the FP32 shard, every micro-batch.
 *   <li>That first copy is the backward of the views, which were created on the all-gather stream (_unshard, _use_unsharded_flat_param); autograd
 *       runs it on that stream too, so it and its reduction come after the gather of the next layer [4].
 *   <li>Under no_sync all but the last micro-batch keep unsharded gradients on every rank, in the reduction precision
 *       (FSDPParam.to_accumulated_grad_if_needed), and the last one adds its own before the reduction [2].
 *   <li>A unit is one flat parameter with views into it. In FSDP2, its parameters are sharded one by one: copied out of the all-gather buffer
 *       (foreach_all_gather_copy_out), and cast and copied into the reduce-scatter buffer once the previous unit is reduced
 *       (foreach_reduce_scatter_copy_in, post_backward); the collective itself averages [2, _fsdp_collectives.py].
 *   <li>With shard groups smaller than the world (hybrid), shards are all-reduced across groups after each reduce-scatter [1, section 3.2.2].
 * </ul>
 *
 * <p>Model states: an FP32 shard of parameters and two Adam moments, 12 bytes per parameter, and 4 of gradients from their reduction until the
 * update, after which they are set to None (zero_grad); the 16-bit copy of a shard exists only while its layer is gathered. Without master weights,
 * all of these are BF16 and nothing is cast.
 *
 * <p>Leaves out CPU offload, forward prefetch, FSDP2's division of FP16 gradients, reentrant checkpoints around its units, which differ by version,
 * and the cost of allocator retries; with the limiter off, the ledger's figure for gathered units is a lower bound.
 *
 * <p>[1] Zhao et al., PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel, arXiv:2304.11277; checked against
 * torch/distributed/fsdp/_runtime_utils.py of PyTorch 2.0. [2] torch/distributed/fsdp/_fully_shard/_fsdp_param.py of PyTorch 2.6. [3]
 * github.com/pytorch/pytorch issue 105635 (2023-07-20); _register_pre_backward_hooks of _runtime_utils.py. [4] PyTorch, CUDA semantics, stream
 * semantics of backward passes; seen in a profile of 34B on 256 A100, where copy, cast and division follow the end of each gather
 * (github.com/yandex/YaFSDP, assets/fsdp.png at 669fc36).
 */
public final class Fsdp extends ShardingStrategy {
    private static final List<String> IDLE_IN_PIPELINES =
            List.of("reshard_after_forward", "backward_prefetch", "limit_all_gathers", "no_sync", "host_time_per_unit");

    public Fsdp(StrategyParameters settings) {
        super(settings);
    }

    @Override
    public StepPlan plan(TrainingJob job) {
        return StepWriter.write(job, settings, StepWriter.ALLOCATED_IN_STEP, writer -> {
            if (job.parallel().stages() > 1) {
                ReplicatedStep.write(
                        job, writer, stage -> new FsdpStage(job, writer, stage, sharding(job, writer), settings));
            } else {
                step(job, writer).write();
            }
        });
    }

    private Sharding sharding(TrainingJob job, StepWriter writer) {
        RankGroups shard = shardGroups(job);
        return new Sharding(writer, settings, shard, ShardGroups.replication(shard, job));
    }

    private Step step(TrainingJob job, StepWriter writer) {
        return settings.flagOr("per_parameter", false) ? new PerParameterStep(job, writer) : new FlatStep(job, writer);
    }

    @Override
    protected boolean updatesIn16Bits() {
        return true;
    }

    @Override
    protected boolean gathersMatrices() {
        return true;
    }

    @Override
    protected boolean trainsAdapters() {
        return true;
    }

    @Override
    protected List<Refusal> ownProblems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>();
        ShardGroups.problem("shard_group", chosenShardGroup(), job)
                .ifPresentOrElse(problems::add, () -> addExpertProblems(problems, job));
        if (modelParallel().stages() > 1 && job.model().usesEmbeddingTwice()) {
            // Qwen3Model of pytorch/torchtitan raises an error: fully_shard does not communicate between stages.
            problems.add(Refusal.of(
                    "pipeline_parallel " + modelParallel().stages()
                            + (job.model().tiedEmbeddings() ? " needs untied embeddings" : " needs mtp_layers 0")
                            + ", as PyTorch does not reduce the tied gradient across stages; write 1, or another strategy",
                    "pipeline_parallel"));
        }
        return problems;
    }

    /** Checks expert parallelism: experts are distributed over ranks of one shard group, each with its own shard of the sequence. */
    private void addExpertProblems(List<Refusal> problems, TrainingJob job) {
        int experts = modelParallel().experts();
        if (experts == 1) {
            return;
        }
        RankGroups shard = shardGroups(job);
        int ranks = shard.size() * shard.stride();
        if (job.stageRanks() % experts == 0 && ranks % experts != 0) {
            problems.add(Refusal.of(
                    "expert_parallel " + experts + " does not divide the " + ranks + " ranks of a shard group; "
                            + NearestNumbers.divisors(ranks, experts),
                    "expert_parallel",
                    "shard_group"));
        }
        problems.addAll(sequenceProblems());
    }

    @Override
    protected Map<String, String> ownIdle(TrainingJob job) {
        Map<String, String> idle = new LinkedHashMap<>();
        if (job.parallel().stages() > 1) {
            IDLE_IN_PIPELINES.forEach(setting -> idle.put(
                    setting,
                    "in a pipeline, where units stay gathered and gradients are reduced after the last "
                            + "micro-batch"));
            return idle;
        }
        if (job.accumulationSteps() == 1) {
            idle.put("no_sync", "with one micro-batch per step");
        }
        if (!settings.flag("reshard_after_forward")) {
            idle.put("reentrant_checkpoints", "where units stay gathered after forward");
        } else if (job.checkpointing() != Checkpointing.FULL) {
            idle.put("reentrant_checkpoints", "without full checkpoints");
        }
        return idle;
    }

    @Override
    public RankGroups shardGroups(TrainingJob job) {
        int size = chosenShardGroup();
        int byDefault = settings.flagOr("hybrid", false)
                ? Math.min(job.dataParallelPerNode(), job.dataParallel())
                : job.dataParallel();
        return ShardGroups.shard(size == 0 ? byDefault : size, job);
    }

    /** Returns the group of hybrid sharding; 0 if unset, or if the kind shards over all ranks and has no such setting. */
    private int chosenShardGroup() {
        return settings.names().contains("shard_group") ? settings.count("shard_group") : 0;
    }

    /**
     * Unit gathered before a layer and freed after it: one part sharded over the whole shard group, and the experts, which are sharded over fewer
     * ranks.
     */
    private record Unit(List<Part> parts) {
        long elements() {
            return parts.stream().mapToLong(Part::elements).sum();
        }

        long bytes() {
            return parts.stream().mapToLong(Part::bytes).sum();
        }
    }

    /** Writer of one training step; subclasses define the memory layout of a unit. */
    private abstract class Step {
        final TrainingJob job;
        final StepWriter writer;
        private final Sharding all;
        private final Sharding experts;
        private final int layers;
        /** Units by layer. */
        private final Unit[] units;

        final Unit root;
        final long elementBytes;
        final long reduceBytes;
        /** Bytes of an updated weight, of its gradient and of each of its moments. */
        private final long stateBytes;

        private final boolean freeAfterForward = settings.flag("reshard_after_forward");
        private final boolean prefetch = settings.flag("backward_prefetch");
        private final boolean limit = settings.flag("limit_all_gathers");
        /** Whether checkpoints wrap units. */
        private final boolean reentrant = settings.flagOr("reentrant_checkpoints", false);

        /** Whether unsharded gradients accumulate until the last micro-batch. */
        private final boolean wait;
        /** Bytes of a gradient that is ready to be reduced. */
        final long readyBytes;
        /** Part of {@link #readyBytes} that is in a bucket and freed after the next copy; unsharded gradients stay. */
        final long passingBytes;

        private final int[] gathered;
        final int[] placed;
        int placedRoot = StepWriter.NONE;
        private final int[] forward;
        private final int[] backward;
        /** Last reduction of the previous unit. */
        int lastReduce = StepWriter.NONE;

        private long gatheredBytes;
        private int microBatch;

        Step(TrainingJob job, StepWriter writer) {
            this.job = job;
            this.writer = writer;
            all = sharding(job, writer);
            experts = all.ofExperts(job, settings);
            layers = job.model().layers();
            elementBytes = job.precision().bytes();
            units = new Unit[layers];
            Arrays.setAll(units, this::layerUnit);
            root = new Unit(List.of(Part.of(
                    all,
                    "root",
                    job.embeddingParameters() + job.outputParameters(),
                    job.rootFrozenBytes(),
                    elementBytes)));
            stateBytes = job.precision().stateBytes();
            reduceBytes = settings.flag("reduce_in_fp32") ? 4 : elementBytes;
            wait = settings.flag("no_sync") && job.accumulationSteps() > 1;
            readyBytes = wait ? reduceBytes : elementBytes;
            passingBytes = wait ? 0 : elementBytes;
            gathered = new int[layers];
            placed = new int[layers];
            forward = new int[layers];
            backward = new int[layers];
        }

        void write() {
            holdStates();
            for (microBatch = 0; microBatch < job.accumulationSteps(); microBatch++) {
                writer.beginMicroBatch();
                forwardPass();
                backwardPass();
            }
            writer.endMicroBatches();
            update();
        }

        private Unit layerUnit(int layer) {
            long ofExperts = job.expertParameters(layer);
            Part rest = Part.of(
                    all, "layer", job.layerParameters(layer) - ofExperts, job.layerFrozenBytes(layer), elementBytes);
            return new Unit(
                    ofExperts == 0
                            ? List.of(rest)
                            : List.of(rest, Part.of(experts, "experts", ofExperts, 0, elementBytes)));
        }

        private List<Part> parts() {
            List<Part> parts = new ArrayList<>(root.parts());
            Arrays.stream(units).forEach(unit -> parts.addAll(unit.parts()));
            return parts;
        }

        /** Copies gathered bytes to the parameters, unless these are views of the buffer. */
        int place(long bytes, int whole) {
            return whole;
        }

        /** Returns the operation that makes room for a layer gathered in forward: freeing the layer before the last one. */
        int roomInForward(int layer) {
            return layer >= 2 && freeAfterForward ? forward[layer - 2] : StepWriter.NONE;
        }

        /** Returns the operation that makes room for the first layer gathered in backward. */
        int roomInBackward() {
            return forward[Math.max(0, layers - 2)];
        }

        /** Copies a layer out for backward, and prefetches the next one. */
        int placeAndGather(int layer, boolean ahead, int freed) {
            if (ahead) {
                gatherNext(layer, freed);
            }
            return place(units[layer].bytes(), gathered[layer]);
        }

        /** Ends the backward of a layer, where autograd concatenates the gradients. */
        int joinLayer(long elements, int computed) {
            return computed;
        }

        /** Allocates memory to concatenate the root's gradients. */
        void joinRoot() {}

        /** Copies gradients into the reduction buffer and precision. */
        abstract int prepare(long elements, int computed);

        private boolean reduces() {
            return !wait || microBatch == job.accumulationSteps() - 1;
        }

        private long shardElements() {
            return parts().stream().mapToLong(Part::shardElements).sum();
        }

        /** Returns the bytes of frozen parameters, which are stored in the precision of the gather. */
        private long frozenShardBytes() {
            return parts().stream().mapToLong(Part::shardBytes).sum() - elementBytes * shardElements();
        }

        private void holdStates() {
            writer.allocate(MemoryOwner.PARAMETERS, stateBytes * shardElements() + frozenShardBytes());
            writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.momentBytes(shardElements()));
        }

        private void forwardPass() {
            writer.allocate(MemoryOwner.GATHERED_UNITS, root.bytes());
            int gatheredRoot = gather(root, lastReduce);
            placedRoot = place(root.bytes(), gatheredRoot);
            int previous = writer.forwardEmbedding(placedRoot);
            for (int layer = 0; layer < layers; layer++) {
                writer.beginLayer();
                if (layer >= 2 && freeAfterForward) {
                    freeUnit(layer - 2);
                }
                gathered[layer] = gatherLayer(layer, roomInForward(layer));
                placed[layer] = place(units[layer].bytes(), gathered[layer]);
                forward[layer] = writer.forwardLayer(layer, placed[layer], previous);
                previous = StepWriter.NONE;
            }
            writer.forwardHead();
        }

        private void backwardPass() {
            if (freeAfterForward) {
                freeUnits();
                gathered[layers - 1] = gatherLayer(layers - 1, roomInBackward());
            }
            writer.backwardHead();
            for (int layer = layers - 1; layer >= 0; layer--) {
                writer.beginLayer();
                if (gathersTwice(layer)) {
                    backwardLayerGatheredTwice(layer);
                } else {
                    backwardLayerGatheredOnce(layer);
                }
            }
            backwardRoot();
        }

        private boolean gathersTwice(int layer) {
            return reentrant && freeAfterForward && layer >= 0 && job.checkpointing(layer) == Checkpointing.FULL;
        }

        private void backwardLayerGatheredOnce(int layer) {
            int freed = freeAfterBackward(layer + 2);
            freeReduced(layer + 2);
            boolean ahead = prefetch && !gathersTwice(layer - 1);
            int ready = freeAfterForward ? placeAndGather(layer, ahead, freed) : gathered[layer];
            writer.allocate(MemoryOwner.BUCKETS, elementBytes * units[layer].elements());
            reduceLayer(layer, writer.backwardLayer(layer, ready));
            if (!ahead) {
                gatherNext(layer, freed);
            }
        }

        /**
         * Writes the backward of a layer gathered twice. Nothing before its recomputation announces that backward needs the unit, so nothing is
         * prefetched; the limiter counts both frees.
         */
        private void backwardLayerGatheredTwice(int layer) {
            freeReduced(layer + 2);
            int ready = place(units[layer].bytes(), gathered[layer]);
            writer.allocate(MemoryOwner.BUCKETS, elementBytes * units[layer].elements());
            int[] recomputed = writer.restoreLayer(layer, ready);
            int again = place(units[layer].bytes(), gatherLayer(layer, freeAfterBackward(layer + 1)));
            reduceLayer(layer, writer.backwardRestored(layer, StepWriter.with(recomputed, again)));
            freeUnit(layer);
            gatherNext(layer, recomputed);
        }

        private void reduceLayer(int layer, int computed) {
            long elements = units[layer].elements();
            backward[layer] = accumulate(elements, computed);
            if (reduces()) {
                backward[layer] = joinLayer(elements, backward[layer]);
                reduce(units[layer], backward[layer]);
            }
        }

        /** Frees the unit that a layer's backward used, if there was one; returns that backward. */
        private int freeAfterBackward(int layer) {
            if (layer >= layers) {
                return StepWriter.NONE;
            }
            freeUnit(layer);
            return backward[layer];
        }

        private void freeUnit(int layer) {
            writer.free(MemoryOwner.GATHERED_UNITS, units[layer].bytes());
            gatheredBytes -= units[layer].bytes();
        }

        /** Frees all gathered units. */
        private void freeUnits() {
            writer.free(MemoryOwner.GATHERED_UNITS, gatheredBytes);
            gatheredBytes = 0;
        }

        private void freeReduced(int layer) {
            writer.free(MemoryOwner.BUCKETS, layer < layers && reduces() ? reduceBytes * units[layer].elements() : 0);
        }

        /** Gathers the unit that precedes a layer, which backward needs next. */
        void gatherNext(int layer, int... freed) {
            if (freeAfterForward && layer > 0) {
                gathered[layer - 1] = gatherLayer(layer - 1, freed);
            }
        }

        private int gatherLayer(int layer, int... freed) {
            int[] waits = limit ? freed : new int[0];
            int issued = writer.host(settings.whole("host_time_per_unit"), "issue gather", waits);
            writer.allocate(MemoryOwner.GATHERED_UNITS, units[layer].bytes());
            gatheredBytes += units[layer].bytes();
            return gather(units[layer], issued);
        }

        /** Gathers the parts of a unit one after the other; returns the last gather. */
        private int gather(Unit unit, int issued) {
            int last = issued;
            for (Part part : unit.parts()) {
                int ready = job.precision().isMixed() && part.elements() > 0
                        ? writer.copy(
                                Stream.GATHER, (stateBytes + elementBytes) * part.shardElements(), "cast shard", issued)
                        : issued;
                last = part.over().gather(part.bytes(), "gather " + part.name(), ready);
            }
            return last;
        }

        private void backwardRoot() {
            freeUnits();
            long elements = root.elements();
            writer.allocate(MemoryOwner.BUCKETS, elementBytes * elements);
            int computed = writer.backwardEmbedding();
            if (elements > 0) {
                computed = accumulate(elements, computed);
            }
            if (reduces()) {
                if (elements > 0) {
                    joinRoot();
                    reduce(root, computed);
                }
                freeReduced(0);
                freeReduced(1);
                writer.free(MemoryOwner.BUCKETS, reduceBytes * elements);
            }
            writer.free(MemoryOwner.GATHERED_UNITS, root.bytes());
        }

        /** Adds gradients to the accumulated ones, if these wait for the last micro-batch. */
        private int accumulate(long elements, int computed) {
            if (!wait) {
                return computed;
            }
            writer.free(MemoryOwner.BUCKETS, elementBytes * elements);
            writer.allocate(MemoryOwner.GRADIENTS, microBatch == 0 ? reduceBytes * elements : 0);
            if (microBatch == 0 && reduceBytes == elementBytes) {
                return computed;
            }
            long moved = elementBytes + (microBatch == 0 ? 1 : 2) * reduceBytes;
            return writer.copy(Stream.COMPUTE, moved * elements, "accumulate whole gradients", computed);
        }

        private void reduce(Unit unit, int computed) {
            int prepared = prepare(unit.elements(), computed);
            writer.free(MemoryOwner.GRADIENTS, wait ? reduceBytes * unit.elements() : 0);
            for (Part part : unit.parts()) {
                lastReduce = reduce(part, prepared);
            }
        }

        /** Reduces gradients and adds the shard to the FP32 gradient. */
        private int reduce(Part part, int prepared) {
            int reduced = part.over().reduce(reduceBytes * part.elements(), "reduce-scatter " + part.name(), prepared);
            long shardElements = part.shardElements();
            writer.allocate(MemoryOwner.GRADIENTS, wait || microBatch == 0 ? stateBytes * shardElements : 0);
            writer.copy(Stream.REDUCE, (reduceBytes + 2 * stateBytes) * shardElements, "accumulate gradients", reduced);
            return reduced;
        }

        private void update() {
            int accumulated = lastReduce + 1;
            int ready = accumulated;
            if (job.gradientClipping() > 0) {
                int norm = writer.compute(Work.Kind.GRADIENT_NORM, shardElements(), "gradient norm", accumulated);
                ready = all.sumNorm(norm);
                if (job.parallel().experts() > 1) {
                    ready = experts.sumNorm(ready);
                }
            }
            writer.updateShard(shardElements(), writer.orthogonalize(shardGroups(job), shardElements(), ready));
            writer.free(MemoryOwner.GRADIENTS, stateBytes * shardElements());
        }
    }

    /** Step with one flat parameter per unit; all parameters are views of it. */
    private final class FlatStep extends Step {
        FlatStep(TrainingJob job, StepWriter writer) {
            super(job, writer);
        }

        /** Joins a layer's gradients on the all-gather stream: separate and flat copies coexist while autograd concatenates them. */
        @Override
        int joinLayer(long elements, int computed) {
            writer.allocate(MemoryOwner.BUCKETS, readyBytes * elements);
            int joined = writer.copy(Stream.GATHER, 2 * readyBytes * elements, "flatten gradients", computed);
            writer.free(MemoryOwner.BUCKETS, passingBytes * elements);
            return joined;
        }

        @Override
        void joinRoot() {
            writer.allocate(MemoryOwner.BUCKETS, (readyBytes - passingBytes) * root.elements());
        }

        @Override
        int prepare(long elements, int computed) {
            return divide(elements, cast(elements, computed));
        }

        private int cast(long elements, int computed) {
            if (reduceBytes == readyBytes) {
                return computed;
            }
            writer.allocate(MemoryOwner.BUCKETS, reduceBytes * elements);
            int done = writer.copy(Stream.REDUCE, (readyBytes + reduceBytes) * elements, "cast gradients", computed);
            writer.free(MemoryOwner.BUCKETS, readyBytes * elements);
            return done;
        }

        /** Divides by a factor of the rank count, which prevents 16-bit overflow. */
        private int divide(long elements, int computed) {
            return job.dataParallel() > 1
                    ? writer.copy(Stream.REDUCE, 2 * reduceBytes * elements, "divide gradients", computed)
                    : computed;
        }
    }

    /** Step of FSDP2: parameters are sharded one by one; the collective itself averages. */
    private final class PerParameterStep extends Step {
        PerParameterStep(TrainingJob job, StepWriter writer) {
            super(job, writer);
        }

        /**
         * Returns the copy-out of the layer before the last one, which frees its buffer (wait_for_unshard), so a layer is gathered during that
         * layer's forward.
         */
        @Override
        int roomInForward(int layer) {
            return layer >= 2 ? placed[layer - 2] : layer == 1 ? placedRoot : StepWriter.NONE;
        }

        @Override
        int roomInBackward() {
            return placed[placed.length - 1];
        }

        /** Gathers the next layer once this one is copied out (pre_backward). */
        @Override
        int placeAndGather(int layer, boolean ahead, int freed) {
            int own = super.placeAndGather(layer, false, freed);
            if (ahead) {
                gatherNext(layer, own);
            }
            return own;
        }

        /** Copies gathered bytes to the parameters; the buffer lives until then. */
        @Override
        int place(long bytes, int whole) {
            writer.allocate(MemoryOwner.GATHERED_UNITS, bytes);
            int placed = writer.copy(Stream.COMPUTE, 2 * bytes, "copy out parameters", whole);
            writer.free(MemoryOwner.GATHERED_UNITS, bytes);
            return placed;
        }

        /** Casts and splits gradients into the reduction buffer, once the previous unit's is reduced. */
        @Override
        int prepare(long elements, int computed) {
            writer.allocate(MemoryOwner.BUCKETS, reduceBytes * elements);
            int done = writer.copy(
                    Stream.COMPUTE, (readyBytes + reduceBytes) * elements, "copy in gradients", computed, lastReduce);
            writer.free(MemoryOwner.BUCKETS, passingBytes * elements);
            return done;
        }
    }
}
