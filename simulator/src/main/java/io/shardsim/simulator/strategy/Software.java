package io.shardsim.simulator.strategy;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.strategy.settings.Setting;
import java.util.List;
import java.util.Map;

/**
 * Software required to run a strategy: a row of {@code catalog/software.yaml}.
 *
 * @param title common name
 * @param only restriction on who can install it, after a comma; empty if anyone can
 */
public record Software(String name, String title, String only) {
    private static final Map<String, Block> TABLE = ShippedFile.read(
            Software.class,
            "/catalog/software.yaml",
            new MapType(
                    Setting.LINE,
                    BlockType.of(
                            Key.required("title", Setting.LINE, "common name"),
                            Key.optional("only", Setting.LINE, "why not everyone can install it"),
                            Key.required("source", Setting.LINE, "where that stands"))));

    /** Type of the names that a strategy's file may use. */
    static final ValueType NAME = ScalarTypes.choice(List.copyOf(TABLE.keySet()));

    /** Returns the software of a name; for names not in the table, custom code that its users have. */
    public static Software named(String name) {
        Block row = TABLE.get(name);
        return row == null
                ? new Software(name, name, "")
                : new Software(name, row.text("title", name), row.text("only", ""));
    }
}
