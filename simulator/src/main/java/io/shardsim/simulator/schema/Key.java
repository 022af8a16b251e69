package io.shardsim.simulator.schema;

/**
 * One key of a block.
 *
 * @param required whether the block must have it
 * @param meaning one-sentence meaning, for the schema and the documentation
 */
public record Key(String name, ValueType type, boolean required, String meaning) {
    public static Key required(String name, ValueType type, String meaning) {
        return new Key(name, type, true, meaning);
    }

    public static Key optional(String name, ValueType type, String meaning) {
        return new Key(name, type, false, meaning);
    }
}
