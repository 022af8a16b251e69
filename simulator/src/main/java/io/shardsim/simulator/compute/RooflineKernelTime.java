package io.shardsim.simulator.compute;

import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Kernel times from a data sheet and a {@link GpuCalibration}.
 *
 * <p><b>GEMMs</b> are cut into tiles, one thread block each, that run in waves over the SMs [1]. A tile of (r x c) costs {@code 2 r c k} flops at the
 * SM's rate and {@code 2 (r + c) k} bytes from the L2 cache at an SM's read rate; the slower of the two decides. Each wave pays a prologue and an
 * epilogue proportional to the tile. A GEMM with too few tiles may split k among blocks and pays for writing and reading FP32 partial results. The
 * library is assumed to pick the best of its tiles. HBM time is a lower bound. So the effects of wave quantization, thin shapes and short k follow
 * from the shape, not from a table.
 *
 * <p><b>Clocks.</b> A GPU at its power limit lowers its clock within about a millisecond. GEMMs in a benchmark table run alone, and short ones finish
 * before that; in a training step GEMMs follow each other, so {@link #kernelPs} uses the sustained clock and {@link #isolatedPs} the clock of a GEMM
 * measured alone.
 *
 * <p><b>Memory-bound kernels</b> take bytes over the achieved HBM rate, plus the fixed time of a kernel.
 *
 * <p><b>Fused attention</b> runs one block per head and 128 queries, at a rate that depends on the head width [2]. A block takes time to start and end.
 *
 * <p><b>FP32</b>: operands have twice the bytes and GEMMs run on the vector units, PyTorch's default since 1.12 unless TF32 is allowed
 * (torch.backends.cuda.matmul.allow_tf32). No measurement was fitted to it.
 *
 * <p><b>Convolutions</b> are implicit GEMMs at a rate of their own relative to GEMMs; their HBM floor counts the tensors themselves, not the patches.
 *
 * <p><b>FP8</b>: operands have half the bytes, and tensor cores a higher rate; results are 16-bit.
 *
 * <p>Leaves out L2 hits between kernels, and clocks that vary with operand values.
 *
 * <p>[1] NVIDIA, Matrix Multiplication Background User's Guide, sections on tile and wave quantization. [2] Dao, FlashAttention-2, arXiv:2307.08691,
 * sections 3 and 4.
 */
public final class RooflineKernelTime {
    private static final double PS_PER_SECOND = 1e12;
    private static final int SINGLE_BYTES = 4;
    /** Depth of one k-step of a tile: k is padded to a multiple [elements]. */
    private static final int K_STEP = 64;
    /** Row length whose multiples, 16 bytes, use the tensor cores at full rate ([1], section 2.1) [elements]. */
    private static final int ALIGNMENT = 8;
    /** Query rows of one thread block of fused attention ([2], section 3.3). */
    private static final int ATTENTION_BLOCK = 128;

    /** Maximum number of GPU and framework pairs remembered, more than a search compares; a server forgets the older ones. */
    private static final int GPUS_MAX = 64;

    private static final int PRODUCTS_MAX = 4096;

    /** Shared instances: points of a search that do not differ for a kernel ask for the same GEMMs again. */
    private static final Map<Setup, RooflineKernelTime> KNOWN = new ConcurrentHashMap<>();

    private record Setup(GpuSpec gpu, GpuCalibration calibration, int availableSms, int elementBytes) {}

    private final Map<Kernel, Long> products = new ConcurrentHashMap<>();
    private final GpuCalibration calibration;
    private final int elementBytes;
    private final int smCount;
    private final double smFlopsPerPs;
    private final double operandBytesPerPs;
    private final Bandwidth matmulHbm;
    private final Bandwidth elementwiseHbm;

    /**
     * @param gpu GPU data sheet
     * @param calibration fitted coefficients of its family
     * @param availableSms SMs that these kernels may use; fewer than all while a collective holds some
     * @param elementBytes bytes per element of a matrix, 2 or 4
     */
    public RooflineKernelTime(GpuSpec gpu, GpuCalibration calibration, int availableSms, int elementBytes) {
        if (availableSms < 1 || availableSms > gpu.smCount()) {
            throw new IllegalArgumentException(
                    gpu.name() + ": " + availableSms + " available SMs is not in 1.." + gpu.smCount());
        }
        this.calibration = calibration;
        this.elementBytes = elementBytes;
        this.smCount = availableSms;
        this.smFlopsPerPs = gpu.peakFlopsPerSecond(elementBytes)
                / gpu.smCount()
                * calibration.matmul().rate()
                / PS_PER_SECOND;
        this.operandBytesPerPs = calibration.matmul().operandBytesPerSecond() / PS_PER_SECOND;
        this.matmulHbm = gpu.memoryBandwidth().scaled(calibration.matmul().hbmRatio());
        this.elementwiseHbm =
                gpu.memoryBandwidth().scaled(calibration.memoryBound().hbmRatio());
    }

    /** Returns a shared instance with the GEMMs that it already knows. */
    static RooflineKernelTime shared(GpuSpec gpu, GpuCalibration calibration, int availableSms, int elementBytes) {
        if (KNOWN.size() > GPUS_MAX) {
            KNOWN.clear();
        }
        return KNOWN.computeIfAbsent(
                new Setup(gpu, calibration, availableSms, elementBytes),
                setup -> new RooflineKernelTime(gpu, calibration, availableSms, elementBytes));
    }

    /** Returns an instance for all SMs of the GPU and 16-bit elements, with the calibration of its name or architecture. */
    public static RooflineKernelTime of(GpuSpec gpu) {
        return new RooflineKernelTime(gpu, GpuCalibration.of(gpu), gpu.smCount(), 2);
    }

    /** Returns how long a kernel keeps the GPU busy in a back-to-back stream, the gap to the next one included [ps]. */
    public long kernelPs(Kernel kernel) {
        if (kernel instanceof Kernel.Matmul || kernel instanceof Kernel.Convolution) {
            if (products.size() > PRODUCTS_MAX) {
                products.clear();
            }
            return products.computeIfAbsent(kernel, this::sustainedPs);
        }
        if (kernel instanceof Kernel.FlashAttention attention) {
            return attentionPs(attention);
        }
        return memoryBoundPs((Kernel.MemoryBound) kernel);
    }

    private long memoryBoundPs(Kernel.MemoryBound kernel) {
        return calibration.memoryBound().fixedPs() + elementwiseHbm.serializationPs(kernel.bytes());
    }

    /** Returns the time of a GEMM measured alone: long ones run at the sustained clock, short ones at the boost clock [ps]. */
    public long isolatedPs(Kernel.Matmul matmul) {
        double boosted = boostedPs(matmul, hbmPs(matmul));
        double share = boosted / (boosted + calibration.clock().settlingPs());
        return roundUp(boosted * (1.0 + calibration.clock().sustainedSlowdown() * share));
    }

    private long sustainedPs(Kernel kernel) {
        double boosted = kernel instanceof Kernel.Convolution convolution
                ? boostedPs(convolution.product(), matmulHbm.serializationPs(convolution.bytes()))
                : boostedPs((Kernel.Matmul) kernel, hbmPs((Kernel.Matmul) kernel));
        return roundUp(boosted * (1.0 + calibration.clock().sustainedSlowdown()));
    }

    /**
     * Returns the time with the best tile and split at the boost clock.
     *
     * @param floor time of its traffic with HBM [ps]
     */
    private double boostedPs(Kernel.Matmul matmul, double floor) {
        double best = Double.POSITIVE_INFINITY;
        for (GpuCalibration.Tile tile : calibration.matmul().wave().tiles()) {
            for (int split : calibration.matmul().split().parts()) {
                best = Math.min(best, tiledPs(matmul, tile, split, floor));
            }
        }
        return best;
    }

    /** Returns the time with one tile and split of k; infinite if the split leaves a part of k without work. */
    private double tiledPs(Kernel.Matmul matmul, GpuCalibration.Tile tile, int split, double floor) {
        long kPart = ceilDiv(ceilDiv(matmul.k(), split), K_STEP) * K_STEP;
        if (split > 1 && kPart * (split - 1) >= matmul.k()) {
            return Double.POSITIVE_INFINITY;
        }
        long blocks = matmul.batch() * ceilDiv(matmul.m(), tile.rows()) * ceilDiv(matmul.n(), tile.columns()) * split;
        double busy = ceilDiv(blocks, smCount) * wavePs(matmul, tile, kPart);
        busy = aligned(matmul) ? busy : busy / calibration.matmul().misalignedRatio();
        double total = Math.max(busy, floor) + calibration.matmul().fixedPs();
        return split == 1 ? total : total + splitPs(matmul, split);
    }

    /**
     * Returns whether rows are aligned. Rows of both operands and of the result have k, k and n elements; m never lies along a row. Vector units do
     * not need it.
     */
    private boolean aligned(Kernel.Matmul matmul) {
        return elementBytes == SINGLE_BYTES || matmul.n() % ALIGNMENT == 0 && matmul.k() % ALIGNMENT == 0;
    }

    /** Returns the time of one wave: arithmetic of an SM or reads of its operands from the L2 cache, whichever is slower, then the epilogue. */
    private double wavePs(Kernel.Matmul matmul, GpuCalibration.Tile tile, long kPart) {
        double elements = (double) tile.rows() * tile.columns();
        double rateRatio = switch (matmul.operands()) {
            case OF_THE_JOB -> 1;
            case EIGHT_BITS -> calibration.matmul().eightBits().ratio();
            case EIGHT_BITS_SPLIT_SUMS -> calibration.matmul().eightBits().splitSumsRatio();
            case PATCHES -> calibration.convolution().ratio(elementBytes);
        };
        double arithmetic = 2.0 * elements * kPart / (smFlopsPerPs * rateRatio);
        double operands = (double) operandBytes(matmul) * (tile.rows() + tile.columns()) * kPart / operandBytesPerPs;
        if (matmul.operands() == Kernel.Operands.PATCHES) {
            operands /= rateRatio;
        }
        return Math.max(arithmetic, operands)
                + calibration.matmul().wave().ps()
                + calibration.matmul().wave().epiloguePsPerElement() * elements;
    }

    private double hbmPs(Kernel.Matmul matmul) {
        long operands = matmul.m() * matmul.k() + matmul.k() * matmul.n();
        long bytes = operandBytes(matmul) * operands + elementBytes * matmul.m() * matmul.n();
        return matmulHbm.serializationPs(Math.multiplyExact(matmul.batch(), bytes));
    }

    private int operandBytes(Kernel.Matmul matmul) {
        return switch (matmul.operands()) {
            case OF_THE_JOB, PATCHES -> elementBytes;
            case EIGHT_BITS, EIGHT_BITS_SPLIT_SUMS -> 1;
        };
    }

    /** Returns the time for partial results of a split-K GEMM: each part writes once, the sum reads once. */
    private double splitPs(Kernel.Matmul matmul, int split) {
        double bytes = 2.0 * SINGLE_BYTES * matmul.batch() * matmul.m() * matmul.n() * split;
        return calibration.matmul().split().fixedPs()
                + bytes * PS_PER_SECOND / calibration.matmul().split().bytesPerSecond();
    }

    private long attentionPs(Kernel.FlashAttention attention) {
        boolean forward = attention.pass() == Kernel.Pass.FORWARD;
        double rate = forward
                ? calibration.flash().forwardRate()
                : calibration.flash().backwardRate();
        double headRate =
                attention.headDim() >= 128 ? rate : rate * calibration.flash().narrowHeadRatio();
        double matmuls = forward ? 2.0 : 5.0;
        double s = attention.queries();
        double all = attention.keys().number();
        double keys = attention.keys().causal() ? (all + Math.min(s, ATTENTION_BLOCK)) / 2.0 : all;
        keys += calibration.flash().blockKeys();
        double flopsOfBlock = matmuls * 2.0 * Math.min(s, ATTENTION_BLOCK) * keys * attention.headDim();
        double blocks = attention.headsInBatch() * (double) ceilDiv(attention.queries(), ATTENTION_BLOCK);
        // Blocks of unequal length fill each other's gaps: the tail costs half a block on average, not a wave.
        double waves = blocks / smCount < 1.0 ? 1.0 : blocks / smCount + 0.5;
        double busy =
                waves * flopsOfBlock / (smFlopsPerPs / calibration.matmul().rate() * headRate);
        double rows = (double) attention.headsInBatch() * (s + all) / 2 * attention.headDim();
        long floor = elementwiseHbm.serializationPs((long) ((forward ? 4.0 : 8.0) * elementBytes * rows));
        return roundUp(Math.max(busy, floor)) + calibration.memoryBound().fixedPs();
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }

    private static long roundUp(double ps) {
        return (long) Math.ceil(ps);
    }
}
