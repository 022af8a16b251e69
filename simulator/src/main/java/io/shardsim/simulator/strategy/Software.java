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
 * What somebody must have to run a strategy: a row of {@code catalog/software.yaml}.
 *
 * @param title as people call it
 * @param only why not everybody can install it, after a comma; empty where anyone can
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

    /** What the file of a strategy may name. */
    static final ValueType NAME = ScalarTypes.choice(List.copyOf(TABLE.keySet()));

    /** The software of a name; code of its own, which whoever runs it has, where the table has none. */
    public static Software named(String name) {
        Block row = TABLE.get(name);
        return row == null
                ? new Software(name, name, "")
                : new Software(name, row.text("title", name), row.text("only", ""));
    }
}
