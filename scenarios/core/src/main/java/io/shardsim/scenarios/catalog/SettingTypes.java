package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;

/** Types of scenario settings in catalog files. */
public final class SettingTypes {
    /** A key of a scenario with its block. */
    public static final ValueType DOTTED =
            ScalarTypes.text("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+", "a dotted key such as training.attention");

    /** A dotted key, or such a key with a value. */
    static final ValueType DOTTED_OR_VALUE = ScalarTypes.text(
            "[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+(=[a-z0-9_-]+)?",
            "a dotted key such as training.attention, or one with its value such as training.precision=fp8");

    /** A value of a scenario, as written. */
    public static final ValueType VALUE = ScalarTypes.text(".*\\S.*", "a value");

    /** Values by dotted key. */
    static final MapType SETTINGS = new MapType(DOTTED, VALUE);

    private SettingTypes() {}
}
