package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.ActivationMemory.OfOperator;
import io.shardsim.simulator.workload.Attention;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Block;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.Norm;
import io.shardsim.simulator.workload.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tensors that a layer saves for its backward, in forward order; together they are the {@link MicroBatchMemory#keptBytes} of a layer without
 * checkpoints.
 */
final class LayerBlocks {
    /**
     * Bytes per element in which FlashAttention accumulates the gradients of queries, FP32 (Dao-AILab/flash-attention v2.0,
     * csrc/flash_attn/flash_api.cpp, dq_accum, 2023-07).
     */
    private static final int ACCUMULATED_BYTES = 4;

    private LayerBlocks() {}

    /**
     * Saved tensor.
     *
     * @param from first checkpointing level at which it is recomputed
     * @param forwardTemporaryBytes bytes allocated while it is computed
     * @param backwardTemporaryBytes bytes allocated temporarily with its gradient
     * @param matrixBytes bytes of each matrix that it is multiplied with
     */
    record Kept(
            Checkpointing from,
            long bytes,
            long forwardTemporaryBytes,
            long backwardTemporaryBytes,
            List<Long> matrixBytes) {
        boolean isRecomputed(Checkpointing checkpointing) {
            return from != Checkpointing.NONE && checkpointing.compareTo(from) >= 0;
        }
    }

    static List<Kept> of(TrainingJob job, MicroBatchMemory memory, int layer) {
        List<Kept> kept = new ArrayList<>();
        for (OfOperator one : job.activations().byOperator(layer, job.microBatch(), job.rankSequence())) {
            Operator operator = one.operator();
            long temporary =
                    operator instanceof Attention attention ? temporaryBytes(job, memory, one.block(), attention) : 0;
            boolean scores = temporary > 0 && job.execution().attention() == AttentionKind.STANDARD;
            // Result of a block, before it is added to the residual stream.
            long given = operator instanceof Norm ? memory.hiddenBytes(one.block()) : 0;
            // The input of the layer stays; scores and their results are the first to be dropped.
            Checkpointing input = kept.isEmpty()
                    ? Checkpointing.NONE
                    : from(job.kept().recomputed().drops(operator.name()));
            add(kept, new Kept(input, one.inputBytes(), given, temporary, matrixBytes(job, operator)));
            Checkpointing within = from(job.kept().recomputed().runs(operator.name()));
            add(kept, new Kept(within, one.withinBytes(), scores ? temporary : 0, 0, List.of()));
            long saved = memory.savedWithin(one.block(), operator, Checkpointing.SELECTIVE);
            long dropped = memory.savedWithin(one.block(), operator, Checkpointing.NONE) - saved;
            add(kept, new Kept(Checkpointing.OPERATOR, saved, 0, 0, List.of()));
            add(kept, new Kept(Checkpointing.SELECTIVE, dropped, 0, 0, List.of()));
        }
        return kept;
    }

    private static Checkpointing from(boolean selective) {
        return selective ? Checkpointing.SELECTIVE : Checkpointing.OPERATOR;
    }

    private static void add(List<Kept> kept, Kept more) {
        if (more.bytes() > 0) {
            kept.add(more);
        }
    }

    private static List<Long> matrixBytes(TrainingJob job, Operator operator) {
        if (operator instanceof Linear linear && !linear.tuning().isTrained()) {
            return linear.adapters().stream()
                    .flatMap(adapter -> Stream.of(adapter.down(), adapter.up()))
                    .map(product -> job.precision().bytes() * product.weights())
                    .toList();
        }
        boolean spread = operator.isOfExperts() && job.parallel().experts() > 1;
        long ways = spread ? job.parallel().experts() : job.parallel().tensor();
        List<Long> bytes = operator.products().stream()
                .map(product -> job.precision().bytes() * product.held() / ways)
                .toList();
        return job.profile().fusedProjections() && bytes.size() > 1
                ? List.of(bytes.stream().mapToLong(Long::longValue).sum())
                : bytes;
    }

    /** Returns the bytes of scores before and after the softmax, in either direction; for flash attention, of the sums in its backward. */
    private static long temporaryBytes(TrainingJob job, MicroBatchMemory memory, Block block, Attention attention) {
        return job.execution().attention() == AttentionKind.STANDARD
                ? memory.split(
                        2L * job.precision().bytes() * attention.heads() * block.keys(attention, job.rankSequence()),
                        block)
                : memory.split((long) ACCUMULATED_BYTES * attention.queryWidth(), block);
    }
}
