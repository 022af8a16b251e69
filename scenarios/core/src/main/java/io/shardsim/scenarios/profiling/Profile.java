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
    /** The step of a profile that names none. */
    static final String WHOLE = "the whole trace, which has no ProfilerStep";

    Profile {
        kernels = List.copyOf(kernels);
    }

    /**
     * What kernels have in common.
     *
     * @param group of ranks that a collective joins; empty where the profile does not say
     */
    record Label(KernelClass of, String name, String stream, String group) {}

    /**
     * A kernel or a copy on the GPU.
     *
     * @param bytes whole buffer of a collective, or what is copied; 0 where the profile does not say [bytes]
     */
    record Kernel(Label label, long startNs, long endNs, long bytes) {
        /** What it is. */
        KernelClass of() {
            return label.of();
        }

        long ns() {
            return endNs - startNs;
        }
    }

    /** Returns the kernels that start in a time, as a step. */
    Profile between(String name, long fromNs, long untilNs) {
        return new Profile(
                rank,
                name,
                fromNs,
                untilNs,
                kernels.stream()
                        .filter(kernel -> kernel.startNs() >= fromNs && kernel.startNs() < untilNs)
                        .toList());
    }

    /** Whether the profile says where a step begins. */
    boolean namesStep() {
        return step.startsWith(ProfileReader.STEP);
    }

    long stepNs() {
        return endNs - startNs;
    }
}
