package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A few forwards, then one forward and one backward in turn (PipeDream-flush) [1]: a stage keeps the activations of no more than p
 * micro-batches. With m micro-batches on p equal stages, (p - 1) / m of the ideal time is lost [2, section 2.2.1], as with all forwards first.
 * The SageMaker model parallel library calls a schedule that puts backwards first whenever it can <i>interleaved</i>; this is it.
 *
 * <p>[1] Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, arXiv:2006.09503. [2] Narayanan et al., arXiv:2104.04473;
 * megatron/schedules.py, forward_backward_pipelining_without_interleaving.
 */
public final class OneForwardOneBackward implements PipelineSchedule {
    @Override
    public List<Pass> passes(int stage, int stages, int microBatches, int chunks) {
        int ahead = Math.min(stages - stage - 1, microBatches);
        List<Pass> passes = new ArrayList<>();
        for (int i = 0; i < microBatches + ahead; i++) {
            if (i < microBatches) {
                passes.add(new Pass(true, i, 0));
            }
            if (i >= ahead) {
                passes.add(new Pass(false, i - ahead, 0));
            }
        }
        return passes;
    }

    @Override
    public Optional<Refusal> problem(int stages, int microBatches, int chunks) {
        return PipelineSchedule.needsOnePiece(chunks, "1f1b");
    }

    /** The first stage begins p, and then takes one as it ends one. */
    @Override
    public int microBatchesToPeak(int stages, int microBatches) {
        return Math.min(2 * stages, microBatches);
    }
}
