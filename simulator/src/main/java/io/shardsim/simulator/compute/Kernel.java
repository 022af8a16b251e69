package io.shardsim.simulator.compute;

/**
 * GPU kernel of a training step, described by its work alone. Operands have the job's precision, mostly 16-bit, unless marked FP8; accumulation is in
 * FP32.
 *
 * <p>Leaves out kernels that share an SM with another, and operands that stay in the L2 cache between kernels.
 */
public sealed interface Kernel {
    /** Returns the launches by the host. */
    default long launches() {
        return 1;
    }

    /** Format of a GEMM's operands. */
    enum Operands {
        /** Numbers in the job's precision. */
        OF_THE_JOB,
        /** FP8 numbers, accumulated in the tensor cores' own precision (cuBLAS, CUBLASLT_MATMUL_DESC_FAST_ACCUM). */
        EIGHT_BITS,
        /** FP8 numbers, with partial sums periodically promoted to FP32. */
        EIGHT_BITS_SPLIT_SUMS,
        /** Numbers in the job's precision; one operand is read from a smaller tensor, patch by patch (implicit GEMM). */
        PATCHES
    }

    /**
     * Batch of GEMMs, each (m x k) by (k x n).
     *
     * @param name what the GEMM computes
     * @param batch number of GEMMs, executed together
     * @param m rows of the result
     * @param n columns of the result
     * @param k length of the inner products
     * @param operands format of the operands
     * @param launches launches by the host: one, or one per GEMM, on several streams
     */
    record Matmul(String name, long batch, long m, long n, long k, Operands operands, long launches) implements Kernel {
        /** Creates a batch in one launch. */
        public Matmul(String name, long batch, long m, long n, long k, Operands operands) {
            this(name, batch, m, n, k, operands, 1);
        }

        /** Creates a batch with operands in the job's precision. */
        public Matmul(String name, long batch, long m, long n, long k) {
            this(name, batch, m, n, k, Operands.OF_THE_JOB);
        }

        public Matmul {
            if (batch < 1 || m < 1 || n < 1 || k < 1) {
                throw new IllegalArgumentException(name + ": matmul of batch " + batch + ", m " + m + ", n " + n
                        + ", k " + k + " must have every extent at least 1");
            }
        }

        /** Returns the multiplications and additions. */
        public double flops() {
            return 2.0 * batch * m * n * k;
        }

        /** Returns one GEMM of the batch. */
        Matmul single() {
            return new Matmul(name, 1, m, n, k, operands);
        }

        /** Returns this batch with one launch per GEMM. */
        Matmul launchedApart() {
            return new Matmul(name, batch, m, n, k, operands, batch);
        }

        /** Returns the largest piece when the rows are split. */
        Matmul piece(int pieces) {
            return new Matmul(name, batch, (m + pieces - 1) / pieces, n, k, operands, launches);
        }

        /** Returns all pieces but the largest together; requires more than one. */
        Matmul otherPieces(int pieces) {
            return new Matmul(name, batch, m - (m + pieces - 1) / pieces, n, k, operands, launches);
        }
    }

    /**
     * Convolution as an implicit GEMM.
     *
     * @param product the GEMM, whose operands are {@link Operands#PATCHES}
     * @param bytes bytes of its two operands and its result in memory
     */
    record Convolution(Matmul product, long bytes) implements Kernel {}

    /**
     * Memory-bound kernel: element-wise maps, norms, softmax, reductions, copies, optimizer.
     *
     * @param name what the kernel does
     * @param bytes bytes read plus bytes written
     * @param launches launches by the host: one, or one per expert
     */
    record MemoryBound(String name, long bytes, long launches) implements Kernel {
        /** Creates a kernel in one launch. */
        public MemoryBound(String name, long bytes) {
            this(name, bytes, 1);
        }

        public MemoryBound {
            if (bytes < 0) {
                throw new IllegalArgumentException(name + ": " + bytes + " bytes is negative");
            }
        }
    }

    /** Direction of a fused attention kernel. */
    enum Pass {
        FORWARD,
        BACKWARD
    }

    /**
     * Keys of a head per sample.
     *
     * @param causal whether keys after a query are masked
     */
    record Keys(long number, boolean causal) {}

    /**
     * Fused attention: scores, softmax and the GEMM with the values per head; masked blocks are skipped.
     *
     * @param name what the kernel does
     * @param headsInBatch sequences times heads
     * @param queries queries per head and sequence
     * @param headDim width of a head
     * @param pass forward (two GEMMs) or backward (five, since scores are recomputed)
     */
    record FlashAttention(String name, long headsInBatch, long queries, Keys keys, long headDim, Pass pass)
            implements Kernel {
        /** Creates self-attention, with as many keys as queries. */
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
