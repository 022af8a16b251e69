package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;
import java.util.PrimitiveIterator;

/**
 * Running kernel of the compute stream, and the time that overlapping collectives cost it.
 *
 * <p>Each slice that a thread block of a collective handles while the kernel runs costs it the block's share of the SMs for the time the block is
 * held. Time in which collectives keep HBM busy costs it in proportion to its own memory-bound share. Time in which they keep the L2 cache busy costs
 * it in proportion to its share of GEMMs and attention, whose operands come from L2. A kernel on another stream, a cast or a copy into a bucket,
 * costs its full duration, since both have blocks for all SMs. Lost time is added when the kernel would have ended.
 *
 * <p>It is added in units of at most a five-hundredth of the kernel's time, rounded to the nearest. The model is no more precise than that, and equal
 * layers then take equal times: with exact times, one slice more or less within a kernel would shift everything after it, and the plan would never
 * repeat.
 *
 * <p>Leaves out SMs held by a collective that waits for a late rank, streams of high priority, and the time that the kernel's memory traffic costs
 * collectives and copies.
 */
final class ComputeLane {
    /** Log2 of the number of units in the power of two below a kernel's time. */
    private static final int PARTS_SHIFT = 9;

    private final int smCount;
    /** Time lost by the running kernel [ps]: state. */
    private long lostPs;
    /** Lost time already added to its end [ps]: state. */
    private long madeUpPs;
    /** Unit in which lost time is added [ps]: follows from the kernel's time. */
    private long partPs;
    /** Projected end of the kernel [ps]: state. */
    private long endPs;
    /** Number of extensions of the running kernel: state. */
    private int extensions;

    /** Memory-bound share of the running kernel, in thousandths: state. */
    private long memoryPerMille;

    /** GEMM share of the running kernel, in thousandths: state. */
    private long productsPerMille;

    private boolean running;

    ComputeLane(int smCount) {
        this.smCount = smCount;
    }

    /**
     * @param memoryPerMille memory-bound share of the work, in thousandths
     * @param productsPerMille GEMM share of the work, in thousandths
     */
    void start(long nowPs, long workPs, long memoryPerMille, long productsPerMille) {
        running = true;
        this.memoryPerMille = memoryPerMille;
        this.productsPerMille = productsPerMille;
        lostPs = 0;
        madeUpPs = 0;
        partPs = Math.max(1, Long.highestOneBit(workPs) >> PARTS_SHIFT);
        endPs = nowPs + workPs;
        extensions = 0;
    }

    // Whole picoseconds each time: ranks that handle the same slices lose exactly the same, in any order.

    /** Charges SMs held by others: their number times the time [ps]. */
    void onMultiprocessorsHeld(long heldPs) {
        if (running) {
            lostPs += heldPs / smCount;
        }
    }

    /**
     * Charges work on another stream. Each kernel fills all SMs, so time that one gets the other lacks.
     *
     * @param perMille memory-bound share of that work, in thousandths: all of a cast or copy, none of host work
     */
    void onKernelBeside(long workPs, long perMille) {
        if (running) {
            lostPs += Math.multiplyExact(workPs, perMille) / 1000;
        }
    }

    /** Charges time in which collectives keep HBM busy. */
    void onMemoryBusy(long busyPs) {
        if (running) {
            lostPs += Math.multiplyExact(busyPs, memoryPerMille) / 1000;
        }
    }

    /** Charges time in which collectives keep the L2 cache busy. */
    void onCacheBusy(long busyPs) {
        if (running) {
            lostPs += Math.multiplyExact(busyPs, productsPerMille) / 1000;
        }
    }

    /** Ends the kernel, or extends it by the time lost since; returns whether it is over. */
    boolean end() {
        long owedPs = (lostPs + partPs / 2) / partPs * partPs - madeUpPs;
        if (owedPs > 0) {
            endPs += owedPs;
            madeUpPs += owedPs;
            extensions++;
        } else {
            running = false;
        }
        return !running;
    }

    boolean isRunning() {
        return running;
    }

    long endPs() {
        return endPs;
    }

    /** Returns the number of extensions, which distinguishes the events of a moved end. */
    int extensions() {
        return extensions;
    }

    void save(StateWriter writer) {
        writer.value(running ? 1 : 0);
        if (running) {
            writer.counter(0, lostPs, Long.MAX_VALUE);
            writer.value(madeUpPs);
            writer.value(partPs);
            writer.held(endPs);
            writer.value(extensions);
            writer.value(memoryPerMille);
            writer.value(productsPerMille);
        }
    }

    /** Copies the state of another lane of the same GPU. */
    void copyFrom(ComputeLane other) {
        lostPs = other.lostPs;
        madeUpPs = other.madeUpPs;
        partPs = other.partPs;
        endPs = other.endPs;
        extensions = other.extensions;
        memoryPerMille = other.memoryPerMille;
        productsPerMille = other.productsPerMille;
        running = other.running;
    }

    ComputeLane copy() {
        ComputeLane copy = new ComputeLane(smCount);
        copy.copyFrom(this);
        return copy;
    }

    void shift(long deltaPs) {
        endPs += deltaPs;
    }

    void repeatLoop(PrimitiveIterator.OfLong growth) {
        if (running) {
            lostPs += growth.nextLong();
        }
    }
}
