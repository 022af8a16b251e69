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
 * Every documented key of one kind of file with its verdict, a note and its source; a resource {@code importing/NAME.yaml}.
 *
 * <p>A key is a dotted path. {@code tensorboard.*} stands for everything under {@code tensorboard}. Keys with the same verdict and note stand together in a
 * group; {@code off} lists the values under which a key asks for nothing, so that its verdict is that it is irrelevant.
 *
 * <p>A note that begins with a key of a scenario, such as {@code strategy.overlap_comm}, says which one the key sets; so the same table serves who writes such a
 * file.
 *
 * <p>The table {@code common} adds to all of them. There a key that begins with {@code ~} is a pattern of keys that no table has.
 *
 * <p>To add a kind of file, add a table to the folder, in a jar of your own or here; a test reads every one. A class is for what no table can say.
 */
public final class KeyTable {
    /** A key of a scenario, alone or of some strategies, at the beginning of a note. */
    private static final Pattern SETS =
            Pattern.compile("((?:model|training|cluster|strategy)\\.[a-z_0-9]+)(?= of |; |$)");

    /** What every kind of file may have: variables of the environment, and names that tell what they ask for. */
    static final String COMMON = "common";
    /** Begins a key that is a pattern of keys in small letters which no table has. */
    private static final String LIKE = "~";

    static final ValueType TEXT = ScalarTypes.text("(?s).*\\S.*", "a string");

    /** Begins the source of what starts processes, which tells no kind. */
    private static final String LAUNCHER = "pytorch torch/distributed/run.py";

    /** Likeness of a file with a key that no other kind has. */
    private static final long MARK = 1000;

    private static final KeyFile KEYS = KeyFile.named("import-keys");
    private static final Map<String, ValueType> TYPES = types();

    /**
     * One documented key.
     *
     * @param off values under which the key asks for nothing
     * @param source with its date
     */
    record Entry(String key, Verdict verdict, String note, Set<String> off, String source) {
        /** The same where a switch may be written as false, which an argument never is. */
        Entry orFalse() {
            Set<String> none = new LinkedHashSet<>(off);
            none.add(verdict == Verdict.MODELLED ? "" : "false");
            return new Entry(key, verdict, note, none, source);
        }

        /** The scenario's key that this one sets and nothing else; null where there is none. */
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
    /** Paths of blocks that hold known keys, and the names of these. */
    private final Map<String, Set<String>> children = new LinkedHashMap<>();

    private KeyTable(Block file, Map<String, Entry> entries, List<Block> reads) {
        this.reads = reads;
        this.file = file;
        this.entries = entries;
        for (String key : entries.keySet()) {
            if (key.startsWith(LIKE)) {
                patterns.put(Pattern.compile(key.substring(LIKE.length())), entries.get(key));
            }
            // A name of Kubernetes is one key, whatever dots it has.
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

    /** The table of this name, of a kind of file that can be imported. */
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

    /** A word of another table as it stands below a prefix; none is written as a dot. */
    private static String within(String prefix, String word) {
        return (prefix.equals(".") ? "" : prefix) + word.replace('-', '_');
    }

    /** Paths under which such a file may have a word of the table that it is like. */
    List<String> paths(String word) {
        return file.<String>list("within").stream()
                .map(prefix -> within(prefix, word))
                .toList();
    }

    /** What such a file calls a word of the table that it is like. */
    String called(String word) {
        return file.<Block>list("reads").stream()
                .filter(row -> word.equals(row.text("as")))
                .map(row -> row.<String>list("keys").get(0))
                .findFirst()
                .orElseGet(() -> paths(word).stream().findFirst().orElse("--" + word));
    }

    /** Keys that have other words for the same; those of the table that this one is like come last. */
    List<Block> reads() {
        return reads;
    }

    /** What the framework does without a key, by keys of a scenario. */
    Map<String, String> defaults() {
        return file.map("defaults");
    }

    /** Keys that multiply to the number of GPUs; empty for none. */
    List<String> mesh() {
        return file.list("mesh");
    }

    /** Arguments that name a file of this kind. */
    List<String> namedBy() {
        return file.list("named_by");
    }

    /** Where a model is described that the file leaves out; null where files of this kind need none. */
    @Nullable
    String modelIn() {
        return file.text("model_in");
    }

    /** Whether arguments of a command have such keys with their dots. */
    boolean isDotted() {
        return file.flag("dotted", false);
    }

    /** Whether people set this key of such a file by an argument with dots in its name. */
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

    /** Reads a file of this folder, which has the keys of a kind of block. */
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

    /** What people call such a file. */
    public String title() {
        return file.text("title", "");
    }

    /**
     * How sure it is that a file is of this kind: 0 for not at all, most where it has a key that no other kind has. Without one, most of its first keys must be
     * known, or enough arguments beside a launcher's.
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

    /** Whether a file has a key that no other kind has. */
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

    /** Kinds of strategies whose configuration is written as such a file. */
    public List<String> kinds() {
        return file.list("writes");
    }

    /** Where to say a setting of a scenario that such a file does not carry; null where only the script can say it. */
    public @Nullable String remedy(String setting) {
        return file.<String>map("elsewhere").get(setting);
    }

    /** What to ask for where such a file has these keys without a value. */
    Map<String, String> asks() {
        return file.map("asks");
    }

    /** Models of the catalog by the names that such a file has for them; empty where it describes a model. */
    public Map<String, String> models() {
        return file.map("models");
    }

    /** The kernels that this software runs where a strategy has these. */
    public String kernels(String ofStrategy) {
        return file.<String>map("kernels").getOrDefault(ofStrategy, ofStrategy);
    }

    /** All documented keys in the table's order. */
    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** The entry of this path, or the nearest one that covers everything under a block of it; null for an unknown key. */
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

    /** The scenario's key, such as {@code strategy.overlap_comm}, that this one sets and nothing else; null where there is none. */
    public @Nullable String sets(String path) {
        Entry entry = entry(path);
        return entry == null ? null : entry.sets();
    }

    /** Whether the path is a block of known keys, and none itself. */
    boolean isBlock(String path) {
        return !entries.containsKey(path) && !entries.containsKey(path + ".*") && children.containsKey(path);
    }

    /** The known keys of a block; the empty path is the file. */
    Set<String> names(String path) {
        return children.getOrDefault(path, Set.of());
    }

    /** What to tell about a key that nobody knows. */
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

    /** The path of a key of exactly this name in another block. */
    private @Nullable String elsewhere(String name) {
        for (String key : entries.keySet()) {
            if (key.endsWith("." + name) || key.equals(name)) {
                return key;
            }
        }
        return null;
    }
}
