package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.KernelClass;
import java.util.List;

/**
 * One step of one rank, as profiled.
 *
 * @param rank 0 if the profile does not state it
 * @param step name of the step
 * @param startNs start of the step
 * @param endNs start of the next step, or the end of the last one
 * @param kernels kernels and copies on the GPU, by start time
 */
record Profile(int rank, String step, long startNs, long endNs, List<Kernel> kernels) {
    /** Name of the step if the profile has no steps. */
    static final String WHOLE = "the whole trace, which has no ProfilerStep";

    Profile {
        kernels = List.copyOf(kernels);
    }

    /**
     * Properties that many kernels share.
     *
     * @param group process group of a collective; empty if the profile does not state it
     */
    record Label(KernelClass of, String name, String stream, String group) {}

    /**
     * A kernel or a copy on the GPU.
     *
     * @param bytes size of a collective's whole buffer, or of a copy; 0 if the profile does not state it [bytes]
     */
    record Kernel(Label label, long startNs, long endNs, long bytes) {
        /** The kernel's class. */
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
