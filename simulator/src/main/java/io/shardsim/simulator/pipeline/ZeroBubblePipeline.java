package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.pipeline.PipelineSchedule.Pass.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Zero bubble: a backward first computes gradients of inputs, for which the stage before waits, and later those of weights, which fill the bubble. With
 * equal stages (p - 1) (F + I - W) is lost, where F is a forward and I and W are the two parts of a backward [1, table 2].
 *
 * <p>With one model chunk per stage this is ZB-H1: the order of 1F1B, and stage s, counted from 0, runs s backwards before it starts on their weights, so
 * that every stage keeps the activations of p micro-batches [1, section 2.1]. With several it is that of interleaved 1F1B with the same delay [2].
 *
 * <p>[1] Qi et al., Zero Bubble Pipeline Parallelism, arXiv:2401.10241. [2] torch/distributed/pipelining/schedules.py of PyTorch 2.6,
 * ScheduleInterleavedZeroBubble, which torchtitan runs with two model chunks.
 */
public final class ZeroBubblePipeline implements PipelineSchedule {
    @Override
    public List<Pass> passes(int stage, int stages, int microBatches, int chunks) {
        PipelineSchedule order = chunks == 1 ? new OneForwardOneBackward() : new InterleavedPipeline();
        List<Pass> passes = new ArrayList<>();
        Deque<Pass> delayed = new ArrayDeque<>();
        for (Pass pass : order.passes(stage, stages, microBatches, chunks)) {
            if (pass.forward()) {
                passes.add(pass);
                continue;
            }
            passes.add(new Pass(Kind.INPUT_GRADIENTS, pass.microBatch(), pass.chunk()));
            delayed.add(new Pass(Kind.WEIGHT_GRADIENTS, pass.microBatch(), pass.chunk()));
            if (delayed.size() > stage) {
                passes.add(delayed.remove());
            }
        }
        passes.addAll(delayed);
        return passes;
    }

    @Override
    public Optional<Refusal> problem(int stages, int microBatches, int chunks) {
        return chunks == 1
                ? Optional.empty()
                : InterleavedPipeline.needsWholeGroups(stages, microBatches, "zero-bubble with model_chunks " + chunks);
    }

    @Override
    public int period(int stages, int chunks) {
        return chunks == 1 ? 1 : stages * chunks;
    }
}
