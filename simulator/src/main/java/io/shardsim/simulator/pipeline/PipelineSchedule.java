package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * The order in which a pipeline stage works through forwards and backwards of its micro-batches.
 *
 * <p>A schedule is one public class with a public constructor without parameters, and one file {@code schedules/<name>.yaml} that names it.
 */
public interface PipelineSchedule {
    /**
     * One forward or backward of a micro-batch through one piece of the model.
     *
     * @param chunk which of the stage's pieces; 0 where it has one
     */
    record Pass(boolean forward, int microBatch, int chunk) {}

    /**
     * What one stage does in one training step. Every micro-batch goes forward and back once through every piece.
     *
     * @param stages pipeline stages, p
     * @param microBatches micro-batches of a training step, m
     * @param chunks pieces of the model that a stage holds, v
     */
    List<Pass> passes(int stage, int stages, int microBatches, int chunks);

    /** What keeps the schedule from running so; empty when nothing does. */
    Optional<Refusal> problem(int stages, int microBatches, int chunks);

    /**
     * Micro-batches with which every stage holds as much memory as with any number more.
     *
     * @param microBatches micro-batches of a training step, m
     */
    int microBatchesToPeak(int stages, int microBatches);

    /** Forwards of the first stage after which the schedule may begin to repeat itself. */
    default int period(int stages, int chunks) {
        return 1;
    }

    /** The problem of a schedule whose stages hold one piece of the model each. */
    static Optional<Refusal> needsOnePiece(int chunks, String schedule) {
        return chunks == 1
                ? Optional.empty()
                : Optional.of(Refusal.of(
                        "model_chunks " + chunks + " > 1 needs pipeline_schedule interleaved, not " + schedule,
                        "model_chunks",
                        "pipeline_schedule"));
    }
}
