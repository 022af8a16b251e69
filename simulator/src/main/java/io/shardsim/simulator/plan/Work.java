package io.shardsim.simulator.plan;

import io.shardsim.simulator.workload.Segment;
import io.shardsim.simulator.workload.Segment.Direction;
import org.jspecify.annotations.Nullable;

/**
 * Work of one rank, described by its content; the compute model determines its time.
 *
 * @param segment segment of the model that it computes; null for other work
 * @param amount amount, in the unit of the kind
 */
public record Work(Kind kind, @Nullable Segment segment, long amount) {
    /** Kind of work. */
    public enum Kind {
        /** Token and position embedding of one micro-batch; amount unused (1). */
        EMBEDDING_FORWARD,
        /** Forward of transformer layers over one micro-batch; amount: layers. */
        LAYER_FORWARD,
        /** Recomputed forward before backward, for activation checkpointing; amount: layers. */
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
        /** Optimizer update over local shards; amount: parameters. */
        OPTIMIZER_STEP,
        /** Newton-Schulz iterations over the matrices among local parameters; amount: parameters. */
        ORTHOGONALIZATION,
        /** Copies within GPU memory (flattening, accumulating, casting); amount: bytes read plus written. */
        MEMORY_COPY,
        /** Copy from GPU to host memory over PCIe; amount: bytes. */
        HOST_STORE,
        /** Copy from host to GPU memory over PCIe; amount: bytes. */
        HOST_LOAD,
        /** Time of the host process; amount: picoseconds. */
        HOST_TIME;

        /** Returns whether this is a copy between GPU and host. */
        public boolean isHostCopy() {
            return this == HOST_STORE || this == HOST_LOAD;
        }

        /** Returns whether this takes no SMs and so cannot run on the compute stream. */
        public boolean isOfHost() {
            return isHostCopy() || this == HOST_TIME;
        }
    }

    /** Creates work that belongs to no segment of the model. */
    public Work(Kind kind, long amount) {
        this(kind, null, amount);
    }

    /** Creates the work of a segment: a layer, or a part before or after the layers. */
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
