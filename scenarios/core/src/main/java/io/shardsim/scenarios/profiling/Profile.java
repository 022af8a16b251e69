package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.KernelClass;
import java.util.List;

/**
 * One step of one rank, as a profiler saw it.
 *
 * @param rank 0 where the profile does not say
 * @param step which one it is, in words
 * @param startNs when it begins
 * @param endNs when the next one begins, or it ends
 * @param kernels what the GPU ran, in the order of beginnings
 */
record Profile(int rank, String step, long startNs, long endNs, List<Kernel> kernels) {
    Profile {
        kernels = List.copyOf(kernels);
    }

    /**
     * A kernel or a copy on the GPU.
     *
     * @param of what it is
     * @param bytes whole buffer of a collective, or what is copied; 0 where the profile does not say [bytes]
     */
    record Kernel(KernelClass of, long startNs, long endNs, long bytes) {}

    long stepNs() {
        return endNs - startNs;
    }
}
