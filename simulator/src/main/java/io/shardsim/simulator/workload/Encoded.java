package io.shardsim.simulator.workload;

/**
 * Keys and values from an encoder's result, for the queries of a decoder's layer; in backward the gradient of that result is added to the other
 * layers' gradients.
 *
 * @param width total width of keys and values
 * @param hidden hidden width of the encoder's result
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
