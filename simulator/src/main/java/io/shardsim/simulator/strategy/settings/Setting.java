package io.shardsim.simulator.strategy.settings;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.topology.units.QuantityException;
import io.shardsim.topology.units.UnitTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Setting declared in the file of a strategy.
 *
 * @param written default, which determines the {@linkplain ParameterForm form}
 * @param meaning meaning in one sentence
 * @param source where the default comes from
 */
public record Setting(String name, String written, String meaning, String source) {
    /** One line of text. */
    public static final ValueType LINE = ScalarTypes.text(".*\\S.*", "a string");

    /** Keys of a setting in a file. */
    public static final BlockType TYPE = BlockType.of(
                    Key.required("value", new Default(), "its default"),
                    Key.required("meaning", LINE, "one sentence"),
                    Key.required("source", LINE, "where the default comes from"))
            .suchAs("{value: 25 MiB, meaning: ..., source: ...}");

    /** Maximum elements, more than any model has, and few enough that their bytes never overflow. */
    private static final long ELEMENTS_MAX = 1L << 50;

    /** Maximum count, more ranks, layers or stages than any scenario has. */
    private static final long COUNT_MAX = 1L << 20;

    /** Returns the type of the values in a scenario. */
    public ValueType type() {
        ParameterForm form = ParameterForm.of(written);
        return switch (form) {
            case ELEMENTS -> ScalarTypes.counted(0, ELEMENTS_MAX, form.word());
            case RANKS, LAYERS, STAGES -> ScalarTypes.counted(0, COUNT_MAX, form.word());
            case PERCENT -> ScalarTypes.text("\\d{1,9}(\\.\\d{1,9})?\\s*%", "a percentage such as 15 %");
            case SIZE -> ScalarTypes.quantity(UnitTable.DATA_SIZE, 0);
            case TIME -> ScalarTypes.time(0);
            case RATE -> ScalarTypes.rate();
            case FLAG -> ScalarTypes.flag();
            case NAME -> ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9 +._-]*", "a name such as " + written);
        };
    }

    /** Returns the settings in a block. */
    public static List<Setting> of(@Nullable Block block) {
        List<Setting> settings = new ArrayList<>();
        if (block != null) {
            block.values().forEach((name, value) -> {
                if (value instanceof Block setting) {
                    settings.add(new Setting(
                            name, setting.text("value", ""), setting.text("meaning", ""), setting.text("source", "")));
                }
            });
        }
        return settings;
    }

    /** String in one of the forms. */
    private record Default() implements ValueType {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            Object written = LINE.read(node, key, problems);
            if (written instanceof String text) {
                try {
                    ParameterForm.of(text).parse(text);
                } catch (QuantityException | ArithmeticException | NumberFormatException unfit) {
                    problems.add(node.position(), key + " " + text + " is not a default; write " + expected());
                }
            }
            return written;
        }

        @Override
        public String expected() {
            return "a quantity with its unit, 4 ranks, 15 %, true, false or a name";
        }

        @Override
        public Map<String, Object> schema() {
            return LINE.schema();
        }
    }
}
