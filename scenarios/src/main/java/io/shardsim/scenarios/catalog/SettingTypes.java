package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;

/** What files of a catalog write that change scenarios. */
public final class SettingTypes {
    /** A key of a scenario with its block. */
    public static final ValueType DOTTED =
            ScalarTypes.text("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+", "a dotted key such as training.attention");

    /** Values of a scenario by dotted key, as the file writes them. */
    public static final MapType SETTINGS = new MapType(DOTTED, ScalarTypes.text(".*\\S.*", "a value"));

    private SettingTypes() {}
}
