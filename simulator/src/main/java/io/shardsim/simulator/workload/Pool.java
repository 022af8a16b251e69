package io.shardsim.simulator.workload;

/**
 * Pooling. A token of its block is a position of its output.
 *
 * @param width channels
 * @param inputs input positions per output position
 * @param maximum whether it takes the maximum and saves its place; else the mean
 */
public record Pool(int width, int inputs, boolean maximum) implements Operator {
    /** Bytes of a saved place (PyTorch, aten/src/ATen/native/cuda/DilatedMaxPool2d.cu: 64-bit indices). */
    private static final long PLACE_BYTES = 8;

    /** Returns the bytes of saved places per output position. */
    long placeBytes() {
        return maximum ? PLACE_BYTES * width : 0;
    }

    @Override
    public long savedInputs() {
        return (long) inputs * width;
    }
}
