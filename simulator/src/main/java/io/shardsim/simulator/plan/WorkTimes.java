package io.shardsim.simulator.plan;

import io.shardsim.topology.units.Bandwidth;

/** How long a piece of work takes on one GPU that has nothing else to do. */
@FunctionalInterface
public interface WorkTimes {

    /** Time of the work [ps]. */
    long ps(Work work);

    /** Share of that time in which the work waits for the GPU's memory, in thousandths. */
    default int memoryPerMille(Work work) {
        return 0;
    }

    /** Share of that time in which it runs GEMMs and attention, whose operands come from the L2 cache, in thousandths. */
    default int productsPerMille(Work work) {
        return 0;
    }

    /**
     * How long a kernel that another stream launches during the work waits for the kernel that runs, on average and on the slowest of some ranks
     * [ps].
     */
    default long waitPs(Work work, int ranks) {
        return 0;
    }

    /** What copies reach of the memory's data-sheet rate. */
    default double memoryRatio() {
        return 1;
    }

    /** Rate of the GPU's L2 cache. */
    default Bandwidth cacheRate() {
        return Bandwidth.UNLIMITED;
    }
}
