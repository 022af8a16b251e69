package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Interleaved 1F1B: forwards and backwards alternate, and each stage holds v model chunks: the first micro-batches reach the last model chunk v
 * times sooner, so (p - 1) / (m v) of the ideal time is lost, for v times the traffic between stages [1, section 2.2.2].
 *
 * <p>Micro-batches go through a stage in groups of p, one model chunk after another. With exactly p micro-batches, Megatron did all forwards first until November
 * 2024 (4295be1a); here they alternate as for any other number [2].
 *
 * <p>[1] Narayanan et al., arXiv:2104.04473. [2] Megatron-LM d98e8a64, megatron/core/pipeline_parallel/schedules.py, get_pp_rank_microbatches.
 */
public final class InterleavedPipeline implements PipelineSchedule {
    @Override
    public List<Pass> passes(int stage, int stages, int microBatches, int chunks) {
        int all = microBatches * chunks;
        int ahead = Math.min(all, 2 * (stages - stage - 1) + (chunks - 1) * stages);
        List<Pass> passes = new ArrayList<>();
        for (int i = 0; i < all + ahead; i++) {
            if (i < all) {
                passes.add(pass(true, i, stages, chunks));
            }
            if (i >= ahead) {
                passes.add(pass(false, i - ahead, stages, chunks));
            }
        }
        return passes;
    }

    private static Pass pass(boolean forward, int index, int stages, int chunks) {
        int group = index / (stages * chunks);
        int place = index % (stages * chunks);
        int chunk = forward ? place / stages : chunks - 1 - place / stages;
        return new Pass(forward, group * stages + place % stages, chunk);
    }

    @Override
    public Optional<Refusal> problem(int stages, int microBatches, int chunks) {
        if (chunks == 1) {
            return Optional.of(Refusal.of(
                    "pipeline_schedule interleaved needs model_chunks of 2 or more, not 1; set it, or write 1f1b",
                    "model_chunks",
                    "pipeline_schedule"));
        }
        return needsWholeGroups(stages, microBatches, "interleaved");
    }

    /** Returns the problem of a schedule that supports only multiples of p micro-batches. */
    static Optional<Refusal> needsWholeGroups(int stages, int microBatches, String schedule) {
        return microBatches % stages == 0
                ? Optional.empty()
                : Optional.of(Refusal.of(
                        "pipeline_schedule " + schedule + " needs the " + microBatches
                                + " micro-batches of a rank to be a multiple of pipeline_parallel " + stages
                                + ", as in Megatron-LM; change micro_batch or global_batch so that there are "
                                + (microBatches < stages ? "" : microBatches / stages * stages + " or ")
                                + (microBatches / stages + 1) * stages,
                        "pipeline_schedule",
                        "pipeline_parallel"));
    }

    @Override
    public int period(int stages, int chunks) {
        return stages * chunks;
    }
}
