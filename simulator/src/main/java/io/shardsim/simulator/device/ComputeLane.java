package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;

/**
 * The kernel that runs on the compute stream, and what collectives running beside it take away from it.
 *
 * <p>Each slice that a thread block of a collective handles while the kernel runs costs it the block's share of the multiprocessors for the time
 * the block is held. What has been lost is made up for when the kernel would have ended.
 *
 * <p>Leaves out multiprocessors held by a collective that waits for a late rank, and contention for memory bandwidth.
 */
final class ComputeLane {
    private final int smCount;
    /** Time lost and not made up for [ps]: state. */
    private long lostPs;
    /** When the kernel will end as things stand [ps]: state. */
    private long endPs;
    /** Times that the running kernel's end was moved: state. */
    private int extensions;

    private boolean running;

    ComputeLane(int smCount) {
        this.smCount = smCount;
    }

    void start(long nowPs, long workPs) {
        running = true;
        lostPs = 0;
        endPs = nowPs + workPs;
        extensions = 0;
    }

    /** A thread block on that many multiprocessors is held for a time. */
    void onBlockHeld(long heldPs, int multiprocessors) {
        if (running) {
            // Whole picoseconds each time: ranks that handle the same slices lose exactly the same, whenever they do.
            lostPs += heldPs * multiprocessors / smCount;
        }
    }

    /** Ends the kernel, or moves its end by what it has lost; true when it is over. */
    boolean end() {
        if (lostPs > 0) {
            endPs += lostPs;
            lostPs = 0;
            extensions++;
        } else {
            running = false;
        }
        return !running;
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
            writer.value(lostPs);
            writer.instant(endPs);
            writer.value(extensions);
        }
    }

    void shift(long deltaPs) {
        endPs += deltaPs;
    }
}
