package io.shardsim.topology.units;

/** Text that is not a quantity of the wanted kind; the message says which rule it breaks and what to write instead. */
public final class QuantityException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public QuantityException(String message) {
        super(message);
    }
}
