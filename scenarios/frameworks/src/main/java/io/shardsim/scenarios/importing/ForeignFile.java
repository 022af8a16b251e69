package io.shardsim.scenarios.importing;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A framework's file, flattened to dotted keys, each with a verdict from the table of its kind.
 *
 * <p>The getters read a key as the framework would, and add a problem with its position if the type is wrong. They return null for an absent key, for
 * {@code null} and for {@code auto}.
 */
final class ForeignFile {
    /** Hugging Face's placeholder for values that another file sets. */
    static final String AUTO = "auto";

    private static final Pattern INDEX = Pattern.compile("\\[\\d+]|#\\d+$");
    private static final Pattern VARIABLE = Pattern.compile("\\$[A-Za-z_{(0-9@*]|`");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(\\.*)(\\w+(?:\\.\\w+)*)}");
    private static final Pattern PRODUCT = Pattern.compile("\\$\\{multiply: *(\\d{1,9}) *, *(\\d{1,9}) *}");
    /** An environment variable with a default. */
    private static final Pattern ENVIRONMENT = Pattern.compile("\\$\\{oc\\.env: *(\\w+) *, *([^{}$]*)}");

    /** References may be chained; a longer chain is circular. */
    private static final int REFERENCES_MAX = 8;

    private static final String ENABLED = ".enabled";
    /** Searching for similar names is slow, and a file with this many unknown keys is of another kind. */
    private static final int SUGGESTIONS_MAX = 100;

    private final String name;
    private final String prefix;
    private final KeyTable table;
    private final Origins origins;
    private final Problems problems;
    private final Map<String, ForeignKey> keys = new LinkedHashMap<>();
    /** Values by key of the table that this one is like; null if the file does not state one. */
    private final Map<String, @Nullable ForeignKey> read = new HashMap<>();

    /** Command-line arguments that override these keys. */
    private final Map<String, ForeignKey> overriding = new LinkedHashMap<>();

    private final Map<String, Integer> used = new HashMap<>();
    private int unknown;

    /**
     * Flattens the file and assigns verdicts.
     *
     * @param name as given by the user
     * @param prefix prefix of every key, if the configuration is nested inside another one
     */
    ForeignFile(String name, String prefix, KeyTable table, Mapping root, Origins origins, Problems problems) {
        this.name = name;
        this.prefix = prefix;
        this.table = table;
        this.origins = origins;
        this.problems = problems;
        root.entries().forEach(entry -> flatten(YamlReader.printable(entry.key()), entry.value(), entry.keyPosition()));
        keys.replaceAll((path, key) -> key.text().contains("${") ? followed(key) : key);
        keys.values().forEach(this::judge);
        table.reads().forEach(this::read);
    }

    /** Resolves OmegaConf references to other keys, and products of them; unresolved ones stay as written. */
    private ForeignKey followed(ForeignKey key) {
        String text = key.text();
        String set = null;
        for (int i = 0; i < REFERENCES_MAX; i++) {
            Matcher reference = REFERENCE.matcher(text);
            Matcher product = PRODUCT.matcher(text);
            Matcher variable = ENVIRONMENT.matcher(text);
            if (variable.find()) {
                set = variable.group(1);
                text = variable.replaceFirst(
                        Matcher.quoteReplacement(variable.group(2).strip()));
            } else if (product.find()) {
                text = product.replaceFirst(
                        String.valueOf(Long.parseLong(product.group(1)) * Long.parseLong(product.group(2))));
            } else if (reference.find()) {
                String from = key.path();
                for (int dots = reference.group(1).length(); dots > 0; dots--) {
                    from = from.substring(0, Math.max(0, from.lastIndexOf('.')));
                }
                boolean below = !reference.group(1).isEmpty() && !from.isEmpty();
                ForeignKey found = keys.get((below ? from + "." : "") + reference.group(2));
                if (found == null) {
                    return key;
                }
                text = reference.replaceFirst(Matcher.quoteReplacement(found.text()));
            }
        }
        Scalar value = new Scalar(key.position(), text, true);
        if (set != null) {
            origins.assume(value, "the environment's " + set);
        }
        return new ForeignKey(this, key.path(), value, key.position());
    }

    /** Translates a key to the vocabulary of another table. */
    private void read(Block row) {
        Map<String, String> words = row.map("to");
        row.<String>list("keys").stream()
                .map(this::key)
                .filter(key -> key != null && switchedOff(key.path()) == null)
                .findFirst()
                .ifPresent(key -> {
                    ForeignKey said = "names".equals(row.text("type")) ? key : said(key, words);
                    if (said != null || !read.containsKey(row.text("as", ""))) {
                        read.put(row.text("as", ""), said);
                    }
                });
    }

    private @Nullable ForeignKey said(ForeignKey key, Map<String, String> words) {
        if (words.isEmpty() || isOpen(key)) {
            return key;
        }
        YamlNode value = key.value() instanceof Sequence list && list.items().size() == 1
                ? list.items().get(0)
                : key.value();
        String written = value instanceof Scalar scalar ? scalar.text().toLowerCase(Locale.ROOT) : "";
        String word = words.getOrDefault(written, words.get("*"));
        if ("*".equals(word)) {
            return key;
        }
        if (word == null) {
            key.judge(
                    Verdict.DECIDES_THE_ANSWER,
                    "of its values " + String.join(", ", words.keySet()) + " are simulated");
        }
        return word == null || word.equals("-") ? null : key.as(word);
    }

    private void flatten(String path, YamlNode value, Position position) {
        if (value instanceof Mapping block && !block.entries().isEmpty()) {
            for (Entry entry : block.entries()) {
                String below = path + "." + YamlReader.printable(entry.key());
                flatten(below, entry.value(), entry.keyPosition());
            }
        } else if (value instanceof Sequence list && list.items().stream().anyMatch(ForeignFile::isCompound)) {
            for (int i = 0; i < list.items().size(); i++) {
                YamlNode item = list.items().get(i);
                flatten(path + "[" + i + "]", item, item.position());
            }
        } else {
            String free = free(path);
            keys.put(free, new ForeignKey(this, free, value, position));
        }
    }

    /** Long names are cut and names may contain dots, so two keys may have the same path; both are kept. */
    private String free(String path) {
        int uses = used.merge(path, 1, Integer::sum);
        return uses == 1 ? path : path + "#" + uses;
    }

    private static boolean isCompound(YamlNode node) {
        return node instanceof Mapping || node instanceof Sequence;
    }

    private void judge(ForeignKey key) {
        String path = INDEX.matcher(key.path()).replaceAll("");
        KeyTable.Entry entry = table.entry(path);
        String switchedOff = switchedOff(key.path());
        if (entry == null && table.isBlock(path)) {
            judgeBlock(key);
        } else if (entry == null) {
            unknown++;
            key.judge(Verdict.NOT_MODELLED, unknown > SUGGESTIONS_MAX ? "unknown key" : table.unknown(path));
        } else if (!key.isSet()) {
            key.judge(Verdict.IRRELEVANT, "not set");
        } else if (key.path().matches(".*#\\d+")) {
            key.judge(Verdict.IRRELEVANT, "given again; the later value counts");
        } else if (switchedOff != null && !path.equals(switchedOff)) {
            key.judge(Verdict.IRRELEVANT, switchedOff + " is false");
        } else if (isOff(key, entry)) {
            key.judge(Verdict.IRRELEVANT, "same as what is simulated anyway");
        } else {
            key.judge(entry.verdict(), entry.note());
        }
    }

    /** Rejects a value where a block of known keys belongs. */
    private void judgeBlock(ForeignKey key) {
        if (key.isSet() && !(key.value() instanceof Mapping)) {
            problems.add(
                    key.position(),
                    key.path() + " is " + key.value().kind() + "; write a block with "
                            + first(table.names(key.path())));
        }
        key.judge(Verdict.IRRELEVANT, key.isSet() ? "empty" : "not set");
    }

    private static String first(Collection<String> names) {
        List<String> shown = names.stream().limit(4).toList();
        return String.join(", ", shown) + (names.size() > shown.size() ? ", ..." : "");
    }

    private static boolean isOff(ForeignKey key, KeyTable.Entry entry) {
        if (key.value() instanceof Scalar) {
            return entry.off().contains(key.text().toLowerCase(Locale.ROOT))
                    || isZero(key) && entry.off().contains("0");
        }
        return entry.off().contains("empty")
                && (key.value() instanceof Mapping
                        || key.value() instanceof Sequence list && list.items().isEmpty());
    }

    private static boolean isZero(ForeignKey key) {
        return key.value() instanceof Scalar scalar
                && scalar.isNumber()
                && scalar.text().matches("[-+]?0*\\.?0*");
    }

    /** The {@code enabled: false} key of an enclosing block, with which DeepSpeed and SageMaker switch blocks off; null if there is none. */
    private @Nullable String switchedOff(String path) {
        for (int dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
            ForeignKey enabled = keys.get(path.substring(0, dot) + ENABLED);
            if (enabled != null && enabled.text().equalsIgnoreCase("false")) {
                return enabled.path();
            }
        }
        return null;
    }

    String name() {
        return name;
    }

    /** The prefix of every path. */
    String prefix() {
        return prefix;
    }

    KeyTable table() {
        return table;
    }

    Problems problems() {
        return problems;
    }

    Collection<ForeignKey> keys() {
        return keys.values();
    }

    /** Lets a command's arguments override keys of this file. */
    void override(ForeignFile arguments) {
        arguments.keys.forEach((path, key) -> {
            overriding.put(path, key);
            ForeignKey before = keys.get(path);
            if (before != null) {
                before.judge(Verdict.IRRELEVANT, "overridden by " + key.reference());
            }
        });
        read.clear();
        table.reads().forEach(this::read);
    }

    /** The key at this path, if it has a value. */
    @Nullable
    ForeignKey key(String path) {
        ForeignKey key = raw(path) != null || read.containsKey(path) ? raw(path) : within(path);
        key = read.getOrDefault(path, key);
        return key == null || !key.isSet() ? null : key;
    }

    private @Nullable ForeignKey within(String word) {
        return table.paths(word).stream()
                .map(this::raw)
                .filter(key -> key != null && key.isSet())
                .findFirst()
                .orElse(null);
    }

    /** The key at this path, with or without a value. */
    @Nullable
    ForeignKey raw(String path) {
        return overriding.getOrDefault(path, keys.get(path));
    }

    boolean has(String path) {
        return key(path) != null;
    }

    /** Whether this block contains any key. */
    boolean hasBlock(String path) {
        return Stream.of(keys, overriding)
                .flatMap(each -> each.keySet().stream())
                .anyMatch(key -> key.startsWith(path + "."));
    }

    boolean isAuto(String path) {
        ForeignKey key = key(path);
        return key != null && key.text().equals(AUTO);
    }

    @Nullable
    Long whole(String path, long min, long max) {
        return (Long) read(path, ScalarTypes.whole(min, max));
    }

    @Nullable
    Double decimal(String path, double min, double max) {
        return (Double) read(path, ScalarTypes.decimal(min, max));
    }

    /** A string, number or flag as written. */
    @Nullable
    String text(String path) {
        return (String) read(path, ScalarTypes.text("(?s).*", "a string"));
    }

    /** A value in lower case; adds a problem if it is none of the given words. */
    @Nullable
    String choice(String path, List<String> words) {
        ForeignKey key = key(path);
        if (key == null || isAuto(path) || refusedVariable(key)) {
            return null;
        }
        Scalar folded = new Scalar(key.position(), key.text().toLowerCase(Locale.ROOT), false);
        return (String) ScalarTypes.choice(words)
                .read(key.value() instanceof Scalar ? folded : key.value(), key.path(), key.file().problems);
    }

    /** Reads true and false in JSON, Python and YAML 1.1 notation. */
    @Nullable
    Boolean flag(String path) {
        ForeignKey key = key(path);
        if (key == null || isAuto(path)) {
            return null;
        }
        String word = key.text().toLowerCase(Locale.ROOT);
        if (refusedVariable(key)) {
            return null;
        }
        if (List.of("true", "yes", "on", "1").contains(word)) {
            return true;
        }
        if (List.of("false", "no", "off", "0").contains(word)) {
            return false;
        }
        String found = key.value() instanceof Scalar ? YamlReader.printable(key.text()) + " is" : "is";
        return key.file()
                .problems
                .refuse(
                        key.position(),
                        key.path() + " " + found + " " + key.value().kind() + "; write true or false");
    }

    boolean flag(String path, boolean otherwise) {
        Boolean value = flag(path);
        return value == null ? otherwise : value;
    }

    private @Nullable Object read(String path, ValueType type) {
        ForeignKey key = key(path);
        return key == null || isAuto(path) || refusedVariable(key)
                ? null
                : type.read(key.value(), key.path(), key.file().problems);
    }

    Origins origins() {
        return origins;
    }

    /** Whether the file does not determine the value: an expression that is not evaluated, or a variable. */
    boolean isOpen(ForeignKey key) {
        return origins.open(key.value()) != null
                || key.value() instanceof Scalar && VARIABLE.matcher(key.text()).find();
    }

    /** Adds a problem if a required value is known only to a shell, or not at all. */
    private boolean refusedVariable(ForeignKey key) {
        if (!isOpen(key)) {
            return false;
        }
        String text = key.text();
        String open = origins.open(key.value());
        if (open != null) {
            key.refuse(key.path() + " is " + open + ", which is not followed; write the value itself"
                    + Choices.option(table.entry(key.path())));
            return true;
        }
        String set = text.contains(ShellScript.SEVERAL)
                ? "; keep the one that holds"
                : text.contains("`") || text.contains("$(")
                        ? " needs a shell, and nothing is executed; write the value itself"
                        : " is not set in the file; set it at the top, or write the value itself";
        key.refuse(key.path() + " " + YamlReader.printable(key.text()) + set);
        return true;
    }

    /** The strings of a list, or the words of a single string. */
    List<String> words(String path) {
        ForeignKey key = key(path);
        List<String> words = new ArrayList<>();
        if (key != null && origins.open(key.value()) != null) {
            refusedVariable(key);
        } else if (key != null && key.value() instanceof Sequence list) {
            list.items().forEach(item -> words.add(item instanceof Scalar scalar ? scalar.text() : ""));
        } else if (key != null) {
            words.addAll(List.of(key.text().strip().split("[\\s,]+")));
        }
        words.removeIf(String::isEmpty);
        return words;
    }

    /** Adds a problem at a key, or at the start of the file if the key is absent. */
    void refuse(String path, String message) {
        ForeignKey key = key(path);
        (key == null ? problems : key.file().problems).add(key == null ? Position.START : key.position(), message);
    }

    /** Sets the verdict on a key, if the file has it. */
    void judge(String path, Verdict verdict, String note) {
        ForeignKey key = key(path);
        if (key != null) {
            key.judge(verdict, note);
        }
    }

    /** Marks all keys with this prefix as irrelevant. */
    void ignore(String prefix, String why) {
        Stream.of(keys, overriding)
                .flatMap(each -> each.values().stream())
                .filter(key -> key.path().startsWith(prefix))
                .forEach(key -> key.judge(Verdict.IRRELEVANT, why));
    }
}
