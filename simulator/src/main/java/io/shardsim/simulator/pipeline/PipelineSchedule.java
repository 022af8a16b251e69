package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Order in which a pipeline stage processes forwards and backwards of its micro-batches.
 *
 * <p>A schedule is one public class with a public constructor without parameters, and one file {@code schedules/<name>.yaml} that names it.
 */
public interface PipelineSchedule {
    /**
     * Forward or backward of a micro-batch through one model chunk.
     *
     * @param chunk index among the stage's model chunks; 0 if it has one
     */
    record Pass(Kind kind, int microBatch, int chunk) {
        /** Kind of pass. */
        public enum Kind {
            FORWARD,
            /** Whole backward. */
            BACKWARD,
            /** The part of a backward that the stage before waits for. */
            INPUT_GRADIENTS,
            /** The rest of a backward, for which no other stage waits. */
            WEIGHT_GRADIENTS
        }

        public Pass(boolean forward, int microBatch, int chunk) {
            this(forward ? Kind.FORWARD : Kind.BACKWARD, microBatch, chunk);
        }

        public boolean forward() {
            return kind == Kind.FORWARD;
        }

        /** Returns whether it only computes gradients of weights. */
        public boolean ofWeights() {
            return kind == Kind.WEIGHT_GRADIENTS;
        }
    }

    /**
     * Returns the passes of one stage in one training step. Every micro-batch goes forward and back once through every model chunk; a backward may be
     * split into two passes.
     *
     * @param stages pipeline stages, p
     * @param microBatches micro-batches of a training step, m
     * @param chunks model chunks per stage, v
     */
    List<Pass> passes(int stage, int stages, int microBatches, int chunks);

    /** Returns why the schedule cannot run like this; empty if it can. */
    Optional<Refusal> problem(int stages, int microBatches, int chunks);

    /**
     * Returns the number of micro-batches after which no stage's memory grows any more: the first stage starts less than 2p.
     *
     * @param microBatches micro-batches of a training step, m
     */
    default int microBatchesToPeak(int stages, int microBatches) {
        return Math.min(2 * stages, microBatches);
    }

    /** Returns whether it computes gradients of inputs and of weights in separate passes. */
    default boolean splitsBackward() {
        return passes(0, 2, 2, 1).stream().anyMatch(Pass::ofWeights);
    }

    /** Returns the period of the schedule, in forward passes of the first stage. */
    default int period(int stages, int chunks) {
        return 1;
    }

    /** Returns the problem of a schedule that supports only one model chunk per stage. */
    static Optional<Refusal> needsOnePiece(int chunks, String schedule) {
        return chunks == 1
                ? Optional.empty()
                : Optional.of(Refusal.of(
                        "model_chunks " + chunks + " > 1 needs pipeline_schedule interleaved, not " + schedule,
                        "model_chunks",
                        "pipeline_schedule"));
    }
}
