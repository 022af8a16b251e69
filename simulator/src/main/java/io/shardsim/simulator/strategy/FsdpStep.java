package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.Sharding.Part;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.StepWriter;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writer of one training step of {@link Fsdp} without pipelines; subclasses define the memory layout of a unit. */
abstract class FsdpStep {
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

    private final boolean freeAfterForward;
    private final boolean prefetch;
    private final boolean limit;
    private final long hostTimePerUnit;
    /** Whether checkpoints wrap units. */
    private final boolean reentrant;

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

    FsdpStep(TrainingJob job, StepWriter writer, StrategyParameters settings, Sharding all) {
        this.job = job;
        this.writer = writer;
        this.all = all;
        experts = all.ofExperts(job, settings);
        layers = job.model().layers();
        elementBytes = job.precision().bytes();
        units = new Unit[layers];
        Arrays.setAll(units, this::layerUnit);
        root = new Unit(List.of(Part.of(
                all, "root", job.embeddingParameters() + job.outputParameters(), job.rootFrozenBytes(), elementBytes)));
        freeAfterForward = settings.flag("reshard_after_forward");
        prefetch = settings.flag("backward_prefetch");
        limit = settings.flag("limit_all_gathers");
        hostTimePerUnit = settings.whole("host_time_per_unit");
        reentrant = settings.flagOr("reentrant_checkpoints", false);
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
        int issued = writer.host(hostTimePerUnit, "issue gather", waits);
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
        writer.updateShard(shardElements(), writer.orthogonalize(all.shard(), shardElements(), ready));
        writer.free(MemoryOwner.GRADIENTS, stateBytes * shardElements());
    }

    /**
     * Unit gathered before a layer and freed after it: one part sharded over the whole shard group, and the experts, which are sharded over fewer
     * ranks.
     */
    record Unit(List<Part> parts) {
        long elements() {
            return parts.stream().mapToLong(Part::elements).sum();
        }

        long bytes() {
            return parts.stream().mapToLong(Part::bytes).sum();
        }
    }
}
