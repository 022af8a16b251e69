package io.shardsim.simulator.schema;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Type of a key's value. */
public interface ValueType {

    /**
     * Returns the value, or null after adding a problem that names the key, the value and the remedy.
     *
     * @param key name of the key in messages
     */
    @Nullable
    Object read(YamlNode node, String key, Problems problems);

    /** Returns what to write instead, for messages: {@code a whole number from 1}. */
    String expected();

    /** Returns the type as JSON Schema (draft 2020-12). */
    Map<String, Object> schema();

    /** Returns parts of the schema that only apply if no key is left to a sweep; empty for most types. */
    default Map<String, Object> completeSchema() {
        return Map.of();
    }

    /** Type with the expected text and the schema of another one. */
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
