package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;
import java.util.PrimitiveIterator;

/**
 * The kernel that runs on the compute stream, and what collectives overlapping with it take away from it.
 *
 * <p>Each slice that a thread block of a collective handles while the kernel runs costs it the block's share of the SMs for the time
 * the block is held. Time for which collectives keep the memory busy costs it as much as the kernel itself waits for memory, and time for which they keep the L2
 * cache busy as much as it is GEMMs and attention, whose operands come from there. A kernel on another stream, a cast or a copy into
 * a bucket, costs it all the time that it takes, for both have blocks for all SMs. What has been lost is made up for when the
 * kernel would have ended.
 *
 * <p>It is made up for in whole parts of the kernel's time, each a five-hundredth or less, to the nearest. The model knows it no better, and so equal layers
 * take equal times: were it exact, one slice more or less that falls within a kernel would move all that follows, and nothing would ever repeat itself.
 *
 * <p>Leaves out SMs held by a collective that waits for a late rank, streams of high priority, and what the kernel's use of memory costs
 * collectives and copies.
 */
final class ComputeLane {
    /** Log2 of the number of parts in the power of two below a kernel's time. */
    private static final int PARTS_SHIFT = 9;

    private final int smCount;
    /** Time that the running kernel has lost [ps]: state. */
    private long lostPs;
    /** Time by which its end was moved for that [ps]: state. */
    private long madeUpPs;
    /** In what parts time is made up for [ps]: follows from the kernel's time. */
    private long partPs;
    /** When the kernel will end as things stand [ps]: state. */
    private long endPs;
    /** Times that the running kernel's end was moved: state. */
    private int extensions;

    /** Share of the running kernel that is bound by memory, in thousandths: state. */
    private long memoryPerMille;

    /** Share of it that is GEMMs, in thousandths: state. */
    private long productsPerMille;

    private boolean running;

    ComputeLane(int smCount) {
        this.smCount = smCount;
    }

    /**
     * @param memoryPerMille share of the work that is bound by memory, in thousandths
     * @param productsPerMille share of it that is GEMMs, in thousandths
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

    // Whole picoseconds each time: ranks that handle the same slices lose exactly the same, whenever they do.

    /** Others hold SMs: their number times the time [ps]. */
    void onMultiprocessorsHeld(long heldPs) {
        if (running) {
            lostPs += heldPs / smCount;
        }
    }

    /**
     * Work runs on another stream for a time. Each kernel fills all SMs, so what one gets the other lacks.
     *
     * @param perMille share of the time in which it moves memory, in thousandths: all of a cast or a copy, nothing of what the host does
     */
    void onKernelBeside(long workPs, long perMille) {
        if (running) {
            lostPs += Math.multiplyExact(workPs, perMille) / 1000;
        }
    }

    /** Collectives keep the memory busy for a time. */
    void onMemoryBusy(long busyPs) {
        if (running) {
            lostPs += Math.multiplyExact(busyPs, memoryPerMille) / 1000;
        }
    }

    /** Collectives keep the L2 cache busy for a time. */
    void onCacheBusy(long busyPs) {
        if (running) {
            lostPs += Math.multiplyExact(busyPs, productsPerMille) / 1000;
        }
    }

    /** Ends the kernel, or moves its end by what it has lost since; true when it is over. */
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

    /** Tells the events of a moved end apart. */
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

    /** Is what another lane of the same GPU is. */
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
