package io.shardsim.reports;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.OneOrListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.yaml.Position;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario key, described by the table of settings, {@code settings.yaml}, which documents its columns. To add a setting, add a row there and the
 * class where it takes effect.
 *
 * @param path dotted key
 */
public record KnownSetting(String path, Block row) {
    /** A catalog name. */
    public static final ValueType NAME =
            ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9._-]{0,99}", "a name of letters, digits, dots and dashes");

    private static final ValueType LOAD = ScalarTypes.text(
            "even|(zipf|dirichlet) (0\\.(0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,2}(\\.[0-9]{1,2})?)",
            "even, zipf S or dirichlet A with a number from 0.01 to 999.99");

    private static final ValueType MODULES = new OneOrListType(ScalarTypes.choice(Recomputed.names()), "module");

    private static final String FILE = "settings.yaml";
    private static final String ALL = "all";
    private static final ValueType TEXT = ScalarTypes.text(".*", "a string");
    private static final BlockType ROW = BlockType.of(
            Key.optional("type", TEXT, "what a scenario may write"),
            Key.optional("required", ScalarTypes.flag(), "whether it must write the key"),
            Key.optional("meaning", TEXT, "one sentence for schema and documentation"),
            Key.optional("cause", TEXT, "what a change is about"),
            Key.optional("learned", ScalarTypes.flag(), "whether a change of it changes what is learned"),
            Key.optional("noun", TEXT, "what follows the value in a name"),
            Key.optional("short", TEXT, "head of a column"),
            Key.optional("words", TEXT, "the key in words"),
            Key.optional("decided_by", ScalarTypes.choice("user", "software"), "who decides it"),
            Key.optional("search", new OneOrListType(TEXT, "value"), "values among which a plan chooses"),
            Key.optional("title", TEXT, "what a lever is called"),
            Key.optional("try", ScalarTypes.flag(), "the value worth trying"),
            Key.optional("saves", ScalarTypes.choice("work", "communication"), "what that saves"),
            Key.optional("notch", ScalarTypes.flag(), "whether a weight is asked of the next choice"));
    private static final Pattern ACRONYM = Pattern.compile("\\b([cg]pu|nic|pcie|lora|fp\\d+|bf16)\\b");
    private static final Block UNKNOWN = new Block("setting", Position.START, Map.of(), Map.of(), List.of());
    private static final Map<String, KnownSetting> TABLE = read();

    private static Map<String, KnownSetting> read() {
        Map<String, Block> rows = ShippedFile.read(KnownSetting.class, FILE, new MapType(TEXT, ROW));
        Map<String, KnownSetting> table = new LinkedHashMap<>();
        rows.forEach((path, row) -> table.put(path, new KnownSetting(path, row)));
        return table;
    }

    /** Returns all keys with a row, in table order. */
    public static Collection<KnownSetting> all() {
        return TABLE.values();
    }

    /** Returns the setting of a dotted key; without columns if the table has no row for it. */
    public static KnownSetting of(String path) {
        return TABLE.getOrDefault(path, new KnownSetting(path, UNKNOWN));
    }

    /** Returns the keys of a block, for its reader and its schema. */
    public static List<Key> keys(String block) {
        return all().stream()
                .filter(known -> known.path.startsWith(block + "."))
                .map(known -> new Key(
                        known.name(), known.type(), known.row.flag("required", false), known.row.text("meaning", "")))
                .toList();
    }

    /** Returns the key without its block. */
    public String name() {
        return path.substring(path.indexOf('.') + 1);
    }

    private ValueType type() {
        String type = row.text("type", "");
        return switch (words().get(0)) {
            case "name" -> NAME;
            case "load" -> LOAD;
            case "modules" -> MODULES;
            default -> ScalarTypes.of(type);
        };
    }

    private List<String> words() {
        return List.of(row.text("type", "").split(" "));
    }

    /** Returns the values of a choice or switch; empty for anything else. */
    public List<String> values() {
        List<String> words = words();
        return switch (words.get(0)) {
            case "choice" -> words.subList(1, words.size());
            case "flag" -> List.of("false", "true");
            default -> List.of();
        };
    }

    /** Returns the values that a plan tries; empty if the user must list them. */
    public List<String> searched() {
        List<String> written = row.list("search");
        return written.equals(List.of(ALL)) ? values() : written;
    }

    /** Returns the cause that a change of it counts as; empty for the cause of its block. */
    public String cause() {
        return row.text("cause", "");
    }

    /** Returns whether it affects what is learned, so that no plan changes it. */
    public boolean isLearned() {
        return row.flag("learned", false);
    }

    /** Returns the noun after its value, empty if the value needs none; null if the key precedes the value. */
    @Nullable
    String noun() {
        return row.text("noun");
    }

    /** Returns the key in words, without its block. */
    public String inWords() {
        String written =
                row.text("words", path.substring(path.lastIndexOf('.') + 1).replace('_', ' '));
        return ACRONYM.matcher(written).replaceAll(word -> word.group().toUpperCase(Locale.ROOT));
    }

    /** Returns its column header. */
    public String shortName() {
        return row.text("short", name());
    }

    /** Returns whether a user who names a framework and its release still sets it. */
    public boolean isUsers() {
        return row.text("decided_by", path.startsWith("strategy.") ? "software" : "user")
                .equals("user");
    }

    /** Returns its title as advice; empty if it is never advised. */
    public String title() {
        return row.text("title", "");
    }

    /** Returns whether it is a switch for users. */
    public boolean isSwitch() {
        return row.has("try");
    }

    /** Returns the value of a switch that is worth trying. */
    public boolean tried() {
        return row.flag("try", false);
    }

    /** Returns whether a switch saves work, not only communication. */
    public boolean savesWork() {
        return row.text("saves", "").equals("work");
    }

    /** Returns whether the alternatives to its value are tried one by one. */
    public boolean hasNotch() {
        return row.flag("notch", false);
    }
}
