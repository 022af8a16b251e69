package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the value of a key may be. */
public interface ValueType {

    /**
     * The value, or null after a problem was added that names the key, the value and the remedy.
     *
     * @param key as messages call it
     */
    @Nullable
    Object read(YamlNode node, String key, Problems problems);

    /** What to write, for messages that refuse something else: {@code a whole number from 1}. */
    String expected();

    /** The same rule as JSON Schema (draft 2020-12). */
    Map<String, Object> schema();

    /** Parts of the schema that hold only where nothing is left to a sweep; empty for most types. */
    default Map<String, Object> completeSchema() {
        return Map.of();
    }

    /** A type with the words and the schema of another one. */
    interface Like extends ValueType {
        ValueType type();

        @Override
        default String expected() {
            return type().expected();
        }

        @Override
        default Map<String, Object> schema() {
            return type().schema();
        }
    }
}
