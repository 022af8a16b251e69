package io.shardsim.scenarios.importing;

import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Every documented key of one kind of file, with a verdict, a note and its source; a resource {@code importing/NAME.yaml}.
 *
 * <p>A key is a dotted path. {@code tensorboard.*} means everything under {@code tensorboard}. Keys with the same verdict and note form a group; with
 * a value listed in {@code off}, a key requests nothing and is irrelevant.
 *
 * <p>If a note begins with a scenario key, such as {@code strategy.overlap_comm}, the key sets that one; so the table also serves to write such
 * files.
 *
 * <p>The table {@code common} is added to all others. Its keys that begin with {@code ~} are patterns for keys that no table has.
 *
 * <p>To add a kind of file, add a table to the folder, here or in a separate jar; a test reads each one. Write a class only for what a table cannot
 * express.
 */
public final class KeyTable {
    /** A scenario key, with or without strategies, at the start of a note. */
    private static final Pattern SETS =
            Pattern.compile("((?:model|training|cluster|strategy)\\.[a-z_0-9]+)(?= of |; |$)");

    /** Keys in any kind of file: environment variables, and names that explain themselves. */
    static final String COMMON = "common";
    /** Prefix of a lower-case pattern for keys that no table has. */
    private static final String LIKE = "~";

    static final ValueType TEXT = ScalarTypes.text("(?s).*\\S.*", "a string");

    /** Prefix of the source of process launchers; their keys do not identify a kind. */
    private static final String LAUNCHER = "pytorch torch/distributed/run.py";

    /** Score of a file with a key that no other kind has. */
    private static final long MARK = 1000;

    private static final KeyFile KEYS = KeyFile.named("import-keys");
    private static final Map<String, ValueType> TYPES = types();

    /**
     * A documented key.
     *
     * @param off values with which the key requests nothing
     * @param source source and its date
     */
    record Entry(String key, Verdict verdict, String note, Set<String> off, String source) {
        /** The entry for files in which a flag may be false; an argument is either present or not. */
        Entry orFalse() {
            Set<String> none = new LinkedHashSet<>(off);
            none.add(verdict == Verdict.MODELLED ? "" : "false");
            return new Entry(key, verdict, note, none, source);
        }

        /** The one scenario key that this key sets; null otherwise. */
        @Nullable
        String sets() {
            Matcher scenarioKey = SETS.matcher(note);
            return verdict == Verdict.MODELLED && scenarioKey.lookingAt() ? scenarioKey.group(1) : null;
        }
    }

    private final Block file;
    private final Map<String, Entry> entries;
    private final List<Block> reads;
    private final Map<Pattern, Entry> patterns = new LinkedHashMap<>();
    /** Names of known keys by path of their block. */
    private final Map<String, Set<String>> children = new LinkedHashMap<>();

    private KeyTable(Block file, Map<String, Entry> entries, List<Block> reads) {
        this.reads = reads;
        this.file = file;
        this.entries = entries;
        for (String key : entries.keySet()) {
            if (key.startsWith(LIKE)) {
                patterns.put(Pattern.compile(key.substring(LIKE.length())), entries.get(key));
            }
            // Kubernetes names are one key, even with dots.
            if (key.startsWith(LIKE) || key.contains("/")) {
                continue;
            }
            int end = key.length();
            for (int dot = key.lastIndexOf('.'); dot >= 0; dot = key.lastIndexOf('.', dot - 1)) {
                childrenOf(key.substring(0, dot)).add(key.substring(dot + 1, end));
                end = dot;
            }
            childrenOf("").add(key.substring(0, end));
        }
    }

    private Set<String> childrenOf(String path) {
        return children.computeIfAbsent(path, each -> new LinkedHashSet<>());
    }

    /** The table with this name. */
    public static KeyTable named(String name) {
        return Importers.table(name);
    }

    /** Reads a table. */
    static KeyTable read(String name) {
        Block own = block(name, "table");
        Map<String, Entry> entries = entries(own, name);
        List<Block> reads = new ArrayList<>(own.<Block>list("reads"));
        String like = own.text("like");
        if (like != null) {
            Block other = block(like, "table");
            reads.addAll(other.<Block>list("reads"));
            Map<String, Entry> words = entries(other, like);
            own.<String>list("within")
                    .forEach(prefix ->
                            words.forEach((key, entry) -> entries.putIfAbsent(within(prefix, key), entry.orFalse())));
        }
        if (own.flag("dotted", false)) {
            entries(block("trainer", "table"), "trainer").forEach((key, entry) -> {
                if (entry.source().startsWith(LAUNCHER)) {
                    entries.putIfAbsent(key, entry);
                }
            });
        }
        entries(block(COMMON, "table"), COMMON).forEach(entries::putIfAbsent);
        return new KeyTable(own, entries, reads);
    }

    /** A word of another table below a prefix; the empty prefix is written as a dot. */
    private static String within(String prefix, String word) {
        return (prefix.equals(".") ? "" : prefix) + word.replace('-', '_');
    }

    /** Paths at which a file may have a word of the table that this one is like. */
    List<String> paths(String word) {
        return file.<String>list("within").stream()
                .map(prefix -> within(prefix, word))
                .toList();
    }

    /** The name in such a file for a word of the table that this one is like. */
    String called(String word) {
        return file.<Block>list("reads").stream()
                .filter(row -> word.equals(row.text("as")))
                .map(row -> row.<String>list("keys").get(0))
                .findFirst()
                .orElseGet(() -> paths(word).stream().findFirst().orElse("--" + word));
    }

    /** Keys that are translated; those of the table that this one is like come last. */
    List<Block> reads() {
        return reads;
    }

    /** The framework's defaults, by scenario key. */
    Map<String, String> defaults() {
        return file.map("defaults");
    }

    /** Keys whose product is the number of GPUs; empty for none. */
    List<String> mesh() {
        return file.list("mesh");
    }

    /** Arguments that name a file of this kind. */
    List<String> namedBy() {
        return file.list("named_by");
    }

    /** Where the model is described if the file does not; null if files of this kind need no model. */
    @Nullable
    String modelIn() {
        return file.text("model_in");
    }

    /** Whether these keys can be given as arguments with dots. */
    boolean isDotted() {
        return file.flag("dotted", false);
    }

    /** Whether this key of such a file can be given as an argument. */
    boolean isArgument(String path) {
        return isDotted()
                && (path.contains(".")
                        ? documented(path) != null
                        : file.<String>list("marks").contains(path));
    }

    private static Map<String, ValueType> types() {
        Map<String, ValueType> types = new HashMap<>(Map.of(
                "text",
                TEXT,
                "texts",
                new MapType(TEXT, TEXT),
                "lists",
                new MapType(TEXT, new ListType(TEXT, "name")),
                "numbers",
                new MapType(TEXT, ScalarTypes.whole(1, Integer.MAX_VALUE)),
                "verdict",
                ScalarTypes.choice(Verdict.allWords()),
                "date",
                ScalarTypes.text("\\d{4}-\\d{2}-\\d{2}", "a date")));
        types.put("sources", new MapType(TEXT, new BlockType(KEYS.keys("source", types), false)));
        types.put("models", new MapType(TEXT, new BlockType(KEYS.keys("model", types), false)));
        return types;
    }

    /** Reads a file in this folder with the keys of a kind of block. */
    static Block block(String name, String keys) {
        BlockType type = new BlockType(KEYS.keys(keys, TYPES), false);
        return ShippedFile.read(KeyTable.class, "/importing/" + name + ".yaml", type);
    }

    private static ClassPathException broken(@Nullable String why) {
        return new ClassPathException("broken table of keys: " + why);
    }

    private static Map<String, Entry> entries(Block file, String name) {
        Map<String, Block> sources = file.map("sources");
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (Block group : file.<Block>list("groups")) {
            Block source = sources.get(group.text("from", ""));
            if (source == null) {
                throw broken(name + " has no source " + group.text("from"));
            }
            Verdict verdict = Verdict.of(group.text("verdict", "modelled"));
            Set<String> off = new LinkedHashSet<>(group.list("off"));
            String from = source.text("source") + ", " + source.text("date");
            for (String key : group.<String>list("keys")) {
                if (entries.put(key, new Entry(key, verdict, group.text("note", ""), off, from)) != null) {
                    throw broken(name + " has " + key + " in two groups");
                }
            }
        }
        return entries;
    }

    /** The usual name of such a file. */
    public String title() {
        return file.text("title", "");
    }

    /**
     * Score for a file being of this kind: 0 for no, highest if it has a key that no other kind has. Otherwise, most of its top-level keys must be
     * known, or enough arguments besides a launcher's.
     *
     * @param arguments whether the file is a command with arguments
     */
    int likeness(Mapping root, boolean arguments) {
        int known = (int)
                root.entries().stream().filter(entry -> tells(entry.key())).count();
        if (arguments && !file.flag("arguments", false)) {
            return 0;
        }
        boolean few = known < file.whole("enough", Long.MAX_VALUE)
                || !arguments && 2 * known < root.entries().size();
        return isMarked(root) ? Math.toIntExact(file.whole("mark", MARK)) + known : few ? 0 : known;
    }

    /** Whether the file has a key that no other kind has. */
    boolean isMarked(Mapping root) {
        return file.<String>list("marks").stream().anyMatch(mark -> has(root, mark));
    }

    private static boolean has(Mapping root, String path) {
        int dot = path.indexOf('.');
        YamlNode.Entry first = root.entry(dot < 0 ? path : path.substring(0, dot));
        return dot > 0 && root.entry(path) != null
                || first != null
                        && (dot < 0 || first.value() instanceof Mapping block && has(block, path.substring(dot + 1)));
    }

    private boolean tells(String key) {
        Entry entry = entries.get(key);
        boolean launcher = entry != null && entry.source().startsWith(LAUNCHER);
        return names("").contains(key) && !key.equals("env") && !launcher;
    }

    /** Strategy kinds whose configuration can be written as such a file. */
    public List<String> kinds() {
        return file.list("writes");
    }

    /** Where to set a scenario key that such a file does not contain; null if only the script can. */
    public @Nullable String remedy(String setting) {
        return file.<String>map("elsewhere").get(setting);
    }

    /** Keys that need a value, and what an empty one would mean. */
    Map<String, String> asks() {
        return file.map("asks");
    }

    /** Catalog models by their names in such files; empty if the files describe their model. */
    public Map<String, String> models() {
        return file.map("models");
    }

    /** The kernels that this software runs for those of a strategy. */
    public String kernels(String ofStrategy) {
        return file.<String>map("kernels").getOrDefault(ofStrategy, ofStrategy);
    }

    /** All documented keys in the table's order. */
    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** The entry for this path, or the closest enclosing one that covers its whole block; null for an unknown key. */
    @Nullable
    Entry entry(String path) {
        Entry exact = documented(path);
        return exact != null || isBlock(path) ? exact : like(path.toLowerCase(Locale.ROOT));
    }

    private @Nullable Entry documented(String path) {
        Entry exact = entries.get(path);
        for (int dot = path.length(); exact == null && dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
            exact = entries.get(path.substring(0, dot) + ".*");
        }
        return exact;
    }

    private @Nullable Entry like(String path) {
        for (Map.Entry<Pattern, Entry> pattern : patterns.entrySet()) {
            if (pattern.getKey().matcher(path).matches()) {
                return pattern.getValue();
            }
        }
        return null;
    }

    /** Whether the key is documented. */
    public boolean knows(String path) {
        return entry(path) != null;
    }

    /** The one scenario key, such as {@code strategy.overlap_comm}, that this key sets; null otherwise. */
    public @Nullable String sets(String path) {
        Entry entry = entry(path);
        return entry == null ? null : entry.sets();
    }

    /** Whether the path is a block of known keys, but not a key itself. */
    boolean isBlock(String path) {
        return !entries.containsKey(path) && !entries.containsKey(path + ".*") && children.containsKey(path);
    }

    /** The known keys of a block; the empty path is the file. */
    Set<String> names(String path) {
        return children.getOrDefault(path, Set.of());
    }

    /** The message for an unknown key. */
    String unknown(String path) {
        if (file.<String>list("open").stream().anyMatch(path::startsWith)) {
            return "unknown key, of a custom class";
        }
        int dot = path.lastIndexOf('.');
        String name = path.substring(dot + 1);
        String near = Nearest.of(name, names(dot < 0 ? "" : path.substring(0, dot)));
        if (near == null) {
            near = elsewhere(name);
        }
        return "unknown key; " + (near == null ? "not a documented key of " + title() : "did you mean " + near + "?");
    }

    /** The path of a key with the same name in another block. */
    private @Nullable String elsewhere(String name) {
        for (String key : entries.keySet()) {
            if (key.endsWith("." + name) || key.equals(name)) {
                return key;
            }
        }
        return null;
    }
}
