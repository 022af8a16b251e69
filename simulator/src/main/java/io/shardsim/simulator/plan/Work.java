package io.shardsim.simulator.plan;

/**
 * Work of one rank, named by what it is; how long it takes is the compute model's business.
 *
 * @param block which block of a layer; all of it without tensor and context parallelism
 * @param stretch which stretch of that block; all of it where no product has an exchange beside it
 * @param span which part of that stretch; all of it without context parallelism
 * @param amount how much of it, in the unit that the kind names
 */
public record Work(Kind kind, Block block, Stretch stretch, Span span, long amount) {
    /** Blocks of a layer between which a tensor-parallel group exchanges something. */
    public enum Block {
        /** The whole layer, and whatever is no layer. */
        WHOLE,
        /** First norm, attention and the first residual addition. */
        ATTENTION,
        /** Second norm, feed-forward block and the second residual addition. */
        FEED_FORWARD
    }

    /** Stretches of a block by what is exchanged beside them. */
    public enum Stretch {
        /** The whole block. */
        ALL,
        /** What goes beside the exchange before it. */
        ENTRY,
        /** What goes beside neither exchange. */
        MIDDLE,
        /** What goes beside the exchange after it; of a backward, the gradients of the weights that the block's input meets first, for which nothing in the layer waits. */
        EXIT,
        /** Of a backward, all but {@link #EXIT}. */
        ALL_BUT_EXIT
    }

    /** Parts of a stretch with attention in it, between which a context-parallel group exchanges keys and values. */
    public enum Span {
        /** The whole stretch. */
        ALL,
        /** What comes before attention. */
        BEFORE_ATTENTION,
        /** Attention over what one rank of the group has of keys and values. */
        ATTENTION_STEP,
        /** What comes after attention. */
        AFTER_ATTENTION
    }

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

    /** All of it. */
    public Work(Kind kind, long amount) {
        this(kind, Block.WHOLE, Stretch.ALL, Span.ALL, amount);
    }

    public Work {
        if (amount < 0) {
            throw new IllegalArgumentException(kind + " amount " + amount + " < 0");
        }
    }
}
