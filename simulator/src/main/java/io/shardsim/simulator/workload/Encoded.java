package io.shardsim.simulator.workload;

/**
 * Keys and values of an encoder's result, which queries of a decoder's layer take; in backward the gradient of that result is added to those of other layers.
 *
 * @param width of keys and values together
 * @param hidden width of the encoder's result
 */
public record Encoded(int width, int hidden) implements Operator {
    @Override
    public long savedInputs() {
        return width;
    }

    @Override
    public boolean takesPart() {
        return true;
    }
}
