package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A scenario file that is read once and resolved repeatedly with changed values. */
public final class Variations {
    private final String file;
    private final Mapping tree;
    /** The file as written, with its lists. */
    private final Mapping whole;

    private final Map<String, List<String>> lists;

    private Variations(String file, Mapping tree, Mapping whole, Map<String, List<String>> lists) {
        this.file = file;
        this.tree = tree;
        this.whole = whole;
        this.lists = lists;
    }

    Variations(String file, Mapping whole, Problems problems) {
        this.file = file;
        this.whole = whole;
        lists = new LinkedHashMap<>();
        List<Entry> entries = new ArrayList<>();
        for (Entry entry : whole.entries()) {
            if (entry.key().equals(ScenarioKeys.SEARCH) || entry.key().equals("sweep")) {
                addLists(entry, problems);
            } else {
                entries.add(entry);
            }
        }
        tree = new Mapping(whole.position(), entries);
    }

    /**
     * Reads a string.
     *
     * @param file the string's name in messages
     * @throws InputException as {@link #of} does
     */
    public static Variations readText(String file, String text) throws InputException {
        return of(OpenedFile.text(file, text), Overrides.NONE);
    }

    /**
     * Reads a file.
     *
     * @throws InputException when it is not YAML, or not a block of keys; keys are checked by {@link #with}
     */
    public static Variations of(OpenedFile opened, Overrides overrides) throws InputException {
        Mapping whole = opened.keys();
        Problems problems = opened.problems();
        Variations variations = new Variations(problems.file(), opened.with(overrides, whole), problems);
        SweptFile.throwIfAny(problems, overrides);
        return variations;
    }

    private void addLists(Entry block, Problems problems) {
        if (!(block.value() instanceof Mapping keys)) {
            problems.add(
                    block.value().position(),
                    block.key() + " is " + block.value().kind()
                            + "; write a block of lists such as cluster.nodes: [2, 4]");
            return;
        }
        for (Entry key : keys.entries()) {
            if (!Sweep.isKey(key, block.key(), problems)) {
                continue;
            }
            if (!(key.value() instanceof Sequence list)
                    || list.items().isEmpty()
                    || !list.items().stream().allMatch(Scalar.class::isInstance)) {
                problems.add(
                        key.value().position(),
                        key.key() + " under " + block.key() + " is "
                                + key.value().kind() + "; write a list of values such as [1, 2]");
                continue;
            }
            lists.put(
                    key.key(),
                    list.items().stream().map(item -> ((Scalar) item).text()).toList());
        }
    }

    public String file() {
        return file;
    }

    /**
     * Returns the file without some keys; a key that it does not set is already free.
     *
     * @param keys keys of at most two parts; a single part is a whole block, or a key without its block
     * @throws InputException if scenarios have no such key
     */
    public Variations without(List<String> keys) throws InputException {
        List<Entry> entries = tree.entries();
        for (String written : keys) {
            String key = SettingKey.whole(written);
            checkKnown(key);
            entries = without(entries, key);
        }
        return new Variations(file, new Mapping(tree.position(), entries), whole, lists);
    }

    private void checkKnown(String key) throws InputException {
        List<String> known = new ArrayList<>(ScenarioKeys.FILE.names());
        known.addAll(SettingKey.known());
        if (!sets(key) && !known.contains(key)) {
            throw new InputException(
                    file,
                    "has no key " + key + " to free; "
                            + Nearest.remedy(
                                    key,
                                    known,
                                    "write a dotted key such as training.micro_batch, or a block such as strategy"));
        }
    }

    private static List<Entry> without(List<Entry> entries, String key) {
        int dot = key.indexOf('.');
        List<Entry> left = new ArrayList<>();
        for (Entry entry : entries) {
            if (dot > 0 && entry.key().equals(key.substring(0, dot)) && entry.value() instanceof Mapping block) {
                Mapping inner = new Mapping(block.position(), without(block.entries(), key.substring(dot + 1)));
                left.add(new Entry(entry.key(), entry.keyPosition(), inner));
            } else if (!entry.key().equals(key)) {
                left.add(entry);
            }
        }
        return left;
    }

    /** Returns the lists under {@code search} and {@code sweep}, by dotted key. */
    public Map<String, List<String>> lists() {
        return Collections.unmodifiableMap(lists);
    }

    /** Returns the content of a file that sets these values, without its lists, as plain Java values. */
    public Map<String, Object> file(Map<String, String> changes) {
        Problems ignored = new Problems(file);
        Sweep.Combination changed = ScenarioReader.changed(tree, changes, ignored);
        return changed == null ? Map.of() : Sweep.values(changed.tree());
    }

    /** Returns whether the file sets a key of at most two parts, such as {@code training.micro_batch}. */
    public boolean sets(String key) {
        return value(key) != null;
    }

    /** Returns the text of a single value; null if the file does not set the key, or sets a block. */
    public @Nullable String text(String key) {
        return value(key) instanceof Scalar scalar ? scalar.text() : null;
    }

    private @Nullable YamlNode value(String key) {
        int dot = key.indexOf('.');
        Entry entry = tree.entry(dot < 0 ? key : key.substring(0, dot));
        if (entry == null || dot < 0) {
            return entry == null ? null : entry.value();
        }
        Entry inner = entry.value() instanceof Mapping block ? block.entry(key.substring(dot + 1)) : null;
        return inner == null ? null : inner.value();
    }

    /**
     * Returns the file's point with some values changed, listed in {@link ScenarioPoint#values}.
     *
     * @param changes YAML values by dotted key
     * @throws InputException with every problem of the changed point
     */
    public ScenarioPoint with(Map<String, String> changes) throws InputException {
        Problems problems = new Problems(file);
        ScenarioPoint point = ScenarioReader.point(tree, changes, whole, problems);
        problems.throwIfAny();
        if (point == null) {
            throw new InputException(file, "holds no scenario");
        }
        return point;
    }
}
