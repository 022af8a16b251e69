package io.shardsim.simulator.plan;

import io.shardsim.topology.units.Bandwidth;

/** Times of work on one otherwise idle GPU. */
@FunctionalInterface
public interface WorkTimes {

    /** Returns the time of the work [ps]. */
    long ps(Work work);

    /** Returns the share of that time in which the work waits for GPU memory, in thousandths. */
    default int memoryPerMille(Work work) {
        return 0;
    }

    /** Returns the share of that time in GEMMs and attention, whose operands come from the L2 cache, in thousandths. */
    default int productsPerMille(Work work) {
        return 0;
    }

    /**
     * Returns how long a kernel launched on another stream during the work waits for the running kernel: the mean over time, on the slowest of some
     * ranks [ps].
     */
    default long waitPs(Work work, int ranks) {
        return 0;
    }

    /** Returns the share of the memory's data-sheet rate that copies reach. */
    default double memoryRatio() {
        return 1;
    }

    /** Returns the rate of the GPU's L2 cache. */
    default Bandwidth cacheRate() {
        return Bandwidth.UNLIMITED;
    }
}
