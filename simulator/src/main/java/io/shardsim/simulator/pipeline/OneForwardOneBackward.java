package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * 1F1B: a few forwards, then forwards and backwards alternate (PipeDream-flush) [1]. A stage keeps the activations of at most p micro-batches. With m
 * micro-batches on p equal stages, (p - 1) / m of the ideal time is lost [2, section 2.2.1], as with all forwards first. The SageMaker model parallel
 * library calls this schedule <i>interleaved</i>: backwards first whenever possible.
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
}
