package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.StepWriter;

/** Step of FSDP2: parameters are sharded one by one; the collective itself averages. */
final class PerParameterStep extends FsdpStep {
    PerParameterStep(TrainingJob job, StepWriter writer, StrategyParameters settings, Sharding all) {
        super(job, writer, settings, all);
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
