package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * GPipe's schedule: all forwards, then all backwards [1]. It is called simple in the SageMaker model parallel library [2]. Every stage keeps the
 * activations of all micro-batches. With m micro-batches on p equal stages, (p - 1) / m of the ideal time is lost [3, section 2.2.1].
 *
 * <p>[1] Huang et al., GPipe, arXiv:1811.06965. [2] SageMaker Developer Guide, Pipeline Parallelism, 2022. [3] Narayanan et al., arXiv:2104.04473.
 */
public final class SimplePipeline implements PipelineSchedule {
    @Override
    public List<Pass> passes(int stage, int stages, int microBatches, int chunks) {
        List<Pass> passes = new ArrayList<>();
        for (int i = 0; i < microBatches; i++) {
            passes.add(new Pass(true, i, 0));
        }
        for (int i = microBatches - 1; i >= 0; i--) {
            passes.add(new Pass(false, i, 0));
        }
        return passes;
    }

    @Override
    public Optional<Refusal> problem(int stages, int microBatches, int chunks) {
        return PipelineSchedule.needsOnePiece(chunks, "simple");
    }

    /** Returns all micro-batches, since all are kept. */
    @Override
    public int microBatchesToPeak(int stages, int microBatches) {
        return microBatches;
    }
}
