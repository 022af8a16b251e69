package io.shardsim.simulator.plan;

import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Direction;
import org.jspecify.annotations.Nullable;

/**
 * Work of one rank, named by what it is; how long it takes is the compute model's business.
 *
 * @param segment what of the model it computes; null for all else
 * @param amount how much of it, in the unit that the kind names
 */
public record Work(Kind kind, @Nullable Segment segment, long amount) {
    /** What the rank computes. */
    public enum Kind {
        /** Token and position embedding of one micro-batch; amount unused (1). */
        EMBEDDING_FORWARD,
        /** Forward of transformer layers over one micro-batch; amount: layers. */
        LAYER_FORWARD,
        /** Forward again before backward, as activation checkpointing asks; amount: layers. */
        LAYER_RECOMPUTE,
        /** Backward of transformer layers without recomputation; amount: layers. */
        LAYER_BACKWARD,
        /** Final norm, logits and loss of one micro-batch; amount unused (1). */
        HEAD_FORWARD,
        /** Backward of the head; amount unused (1). */
        HEAD_BACKWARD,
        /** Backward of the embedding; amount unused (1). */
        EMBEDDING_BACKWARD,
        /** Global gradient norm and clipping over local gradients; amount: elements. */
        GRADIENT_NORM,
        /** Adam in mixed precision over local shards; amount: parameters. */
        OPTIMIZER_STEP,
        /** Copies within GPU memory (flattening, accumulating, casting); amount: bytes read plus written. */
        MEMORY_COPY,
        /** Copy from GPU to host memory over PCIe; amount: bytes. */
        HOST_STORE,
        /** Copy from host to GPU memory over PCIe; amount: bytes. */
        HOST_LOAD,
        /** Time of the host process; amount: picoseconds. */
        HOST_TIME;

        /** True for copies over the links between GPU and host. */
        public boolean isHostCopy() {
            return this == HOST_STORE || this == HOST_LOAD;
        }

        /** True for what no SM does, so that it cannot run on the compute stream. */
        public boolean isOfHost() {
            return isHostCopy() || this == HOST_TIME;
        }
    }

    /** Work that is of no model. */
    public Work(Kind kind, long amount) {
        this(kind, null, amount);
    }

    /** A segment of the model, of one layer or of what is around the layers. */
    public static Work of(Segment segment) {
        boolean backward = segment.direction() == Direction.BACKWARD;
        Kind kind = switch (segment.section().place()) {
            case EMBEDDING -> backward ? Kind.EMBEDDING_BACKWARD : Kind.EMBEDDING_FORWARD;
            case HEAD -> backward ? Kind.HEAD_BACKWARD : Kind.HEAD_FORWARD;
            case LAYER ->
                backward
                        ? Kind.LAYER_BACKWARD
                        : segment.direction() == Direction.FORWARD ? Kind.LAYER_FORWARD : Kind.LAYER_RECOMPUTE;
        };
        return new Work(kind, segment, 1);
    }

    public Work(Kind kind, @Nullable Segment segment, long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException(kind + " amount " + amount + " < 0");
        }
        this.kind = kind;
        this.segment = segment;
        this.amount = amount;
    }
}
