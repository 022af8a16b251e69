package io.shardsim.simulator.compute;

/**
 * One GPU kernel of a training step, described by its work alone. Operands of the precision of the job, 16 bits mostly, unless they are said to have 8;
 * 32-bit accumulation.
 *
 * <p>Leaves out kernels that share an SM with another, and operands that stay in the L2 cache between kernels.
 */
public sealed interface Kernel {

    /** What a product multiplies. */
    enum Operands {
        /** Numbers in the precision of the job. */
        OF_THE_JOB,
        /** Numbers of 8 bits, their products added up in the tensor cores' own precision (cuBLAS, CUBLASLT_MATMUL_DESC_FAST_ACCUM). */
        EIGHT_BITS,
        /** FP8 operands, partial sums promoted to FP32 now and then. */
        EIGHT_BITS_SPLIT_SUMS
    }

    /**
     * A batch of GEMMs, each (m x k) by (k x n).
     *
     * @param name what the product computes
     * @param batch number of products, which the GPU works on at once
     * @param m rows of the result
     * @param n columns of the result
     * @param k length of the inner products
     * @param operands format of what is multiplied
     * @param launches that the host issues: one, or one for each of the batch, on several streams
     */
    record Matmul(String name, long batch, long m, long n, long k, Operands operands, long launches) implements Kernel {
        /** In one launch. */
        public Matmul(String name, long batch, long m, long n, long k, Operands operands) {
            this(name, batch, m, n, k, operands, 1);
        }

        /** Operands in the precision of the job. */
        public Matmul(String name, long batch, long m, long n, long k) {
            this(name, batch, m, n, k, Operands.OF_THE_JOB);
        }

        public Matmul {
            if (batch < 1 || m < 1 || n < 1 || k < 1) {
                throw new IllegalArgumentException(name + ": matmul of batch " + batch + ", m " + m + ", n " + n
                        + ", k " + k + " must have every extent at least 1");
            }
        }

        /** Multiplications and additions. */
        public double flops() {
            return 2.0 * batch * m * n * k;
        }

        /** One of its batch. */
        Matmul single() {
            return new Matmul(name, 1, m, n, k, operands);
        }

        /** With a launch for each of its batch. */
        Matmul launchedApart() {
            return new Matmul(name, batch, m, n, k, operands, batch);
        }

        /** One of so many pieces that the rows are cut into, the largest. */
        Matmul piece(int pieces) {
            return new Matmul(name, batch, (m + pieces - 1) / pieces, n, k, operands, launches);
        }

        /** All other pieces together; only for more than one. */
        Matmul otherPieces(int pieces) {
            return new Matmul(name, batch, m - (m + pieces - 1) / pieces, n, k, operands, launches);
        }
    }

    /**
     * A kernel limited by memory: element-wise maps, norms, softmax, reductions, copies, optimizer.
     *
     * @param name what it does
     * @param bytes bytes read plus bytes written
     */
    record MemoryBound(String name, long bytes) implements Kernel {
        public MemoryBound {
            if (bytes < 0) {
                throw new IllegalArgumentException(name + ": " + bytes + " bytes is negative");
            }
        }
    }

    /** Which half of the attention a fused kernel computes. */
    enum Pass {
        FORWARD,
        BACKWARD
    }

    /**
     * Keys of a head in a sample.
     *
     * @param causal whether those after a query are masked
     */
    record Keys(long number, boolean causal) {}

    /**
     * Fused attention: for each head, scores, softmax and the product with the values, masked blocks skipped.
     *
     * @param name what it does
     * @param headsInBatch sequences times heads
     * @param queries of each
     * @param headDim width of a head
     * @param pass forward (two products) or backward (five, the scores are recomputed)
     */
    record FlashAttention(String name, long headsInBatch, long queries, Keys keys, long headDim, Pass pass)
            implements Kernel {
        /** As many keys as queries. */
        public FlashAttention(String name, long headsInBatch, long tokens, long headDim, boolean causal, Pass pass) {
            this(name, headsInBatch, tokens, new Keys(tokens, causal), headDim, pass);
        }

        public FlashAttention {
            if (headsInBatch < 1 || queries < 1 || keys.number() < 1 || headDim < 1) {
                throw new IllegalArgumentException(
                        name + ": attention of " + headsInBatch + " heads, " + queries + " queries, " + keys.number()
                                + " keys, head width " + headDim + " must have every extent at least 1");
            }
        }
    }
}
