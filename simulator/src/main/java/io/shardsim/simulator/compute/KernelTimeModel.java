package io.shardsim.simulator.compute;

/** How long one kernel keeps the GPU busy, run back to back with others on a stream. */
public interface KernelTimeModel {

    /** Busy time of the GPU [ps], the gap to the next kernel on the stream included. */
    long kernelPs(Kernel kernel);
}
