package io.shardsim.simulator.strategy;

/**
 * Work of one rank, named by what it is; how long it takes is the compute model's business.
 *
 * @param part which part of a layer; all of it without tensor and context parallelism
 * @param span which stretch of that part; all of it without context parallelism
 * @param amount how much of it, in the unit that the kind names
 */
public record Work(Kind kind, Part part, Span span, long amount) {
    /** Parts of a layer between which a tensor-parallel group exchanges something. */
    public enum Part {
        /** The whole layer, and whatever is no layer. */
        WHOLE,
        /** First norm, attention and the first residual addition. */
        ATTENTION,
        /** Second norm, feed-forward block and the second residual addition. */
        FEED_FORWARD,
        /** Of attention's backward, all but {@link #ATTENTION_WEIGHTS}. */
        ATTENTION_INPUT,
        /** Gradients of the weights that attention's input meets first; nothing in the layer waits for them. */
        ATTENTION_WEIGHTS,
        /** Of the feed-forward block's backward, all but {@link #FEED_FORWARD_WEIGHTS}. */
        FEED_FORWARD_INPUT,
        /** Gradients of the weights that the block's input meets first; nothing in the layer waits for them. */
        FEED_FORWARD_WEIGHTS,
        /** Of the attention block, what goes beside the exchange before it. */
        ATTENTION_ENTRY,
        /** Of the attention block, what goes beside neither exchange. */
        ATTENTION_MIDDLE,
        /** Of the attention block, what goes beside the exchange after it. */
        ATTENTION_EXIT,
        /** Of the feed-forward block, what goes beside the exchange before it. */
        FEED_FORWARD_ENTRY,
        /** Of the feed-forward block, what goes beside neither exchange. */
        FEED_FORWARD_MIDDLE,
        /** Of the feed-forward block, what goes beside the exchange after it. */
        FEED_FORWARD_EXIT;

        boolean isFeedForward() {
            return switch (this) {
                case FEED_FORWARD,
                        FEED_FORWARD_INPUT,
                        FEED_FORWARD_WEIGHTS,
                        FEED_FORWARD_ENTRY,
                        FEED_FORWARD_MIDDLE,
                        FEED_FORWARD_EXIT -> true;
                default -> false;
            };
        }

        Part entry() {
            return this == ATTENTION ? ATTENTION_ENTRY : FEED_FORWARD_ENTRY;
        }

        Part middle() {
            return this == ATTENTION ? ATTENTION_MIDDLE : FEED_FORWARD_MIDDLE;
        }

        Part exit() {
            return this == ATTENTION ? ATTENTION_EXIT : FEED_FORWARD_EXIT;
        }
    }

    /** Stretches of a part with attention in it, between which a context-parallel group exchanges keys and values. */
    public enum Span {
        /** The whole part. */
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
    }

    /** All of it. */
    public Work(Kind kind, long amount) {
        this(kind, Part.WHOLE, Span.ALL, amount);
    }

    public Work {
        if (amount < 0) {
            throw new IllegalArgumentException(kind + " amount " + amount + " < 0");
        }
    }
}
