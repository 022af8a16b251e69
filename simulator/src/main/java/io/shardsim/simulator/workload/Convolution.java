package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;

/**
 * Square convolution without a bias, as the GEMM of its filters with the patches under them. A token of its block is a position of its output.
 *
 * @param product the GEMM: {@code kernel x kernel x channels} inputs
 * @param channels channels of its input
 * @param kernel side of a filter [positions]
 * @param stride input positions per output position, in each direction
 */
public record Convolution(Product product, int channels, int kernel, int stride, Input input) implements Operator {
    /** What becomes of its input. */
    public enum Input {
        /** Saved for the wgrad. */
        SAVED,
        /** Saved by an earlier operator with the same input. */
        SHARED,
        /** Saved; an image, which needs no gradient. */
        IMAGE
    }

    Convolution(String name, int channels, int outputs, int kernel, int stride, Input input) {
        this(
                new Product(name, Math.multiplyExact(kernel * kernel, channels), outputs, false),
                channels,
                kernel,
                stride,
                input);
    }

    /** Returns the input elements per output position. */
    public long inputElements() {
        return (long) channels * stride * stride;
    }

    @Override
    public String name() {
        return product.name();
    }

    @Override
    public List<Product> products() {
        return List.of(product);
    }

    @Override
    public List<ParameterTensor> parameters() {
        return List.of(new ParameterTensor(product.name() + ".weight", product.held(), DividedBy.NONE, Tuning.TRAINED));
    }

    @Override
    public long weights() {
        return product.weights();
    }

    @Override
    public long backwardFlops(int sequenceLength) {
        return (input == Input.IMAGE ? 2 : 4) * weights();
    }

    @Override
    public long savedInputs() {
        return input == Input.SHARED ? 0 : inputElements();
    }
}
