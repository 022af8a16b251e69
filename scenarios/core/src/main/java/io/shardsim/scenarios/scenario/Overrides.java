package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Command-line overrides of a file's values, each as in {@code training.micro_batch=4}. A list sweeps the key; a single value ends the file's sweep
 * of it. Problems are reported with the override's number, for example {@code --set 1}.
 */
public final class Overrides {
    /** No overrides. */
    public static final Overrides NONE = new Overrides("", List.of());

    private static final String SWEEP = "sweep";
    /** Lines from here on are numbers of overrides; files have fewer lines. */
    private static final int FIRST_LINE = 1 << 24;

    private final String option;
    private final List<String> written;

    private Overrides(String option, List<String> written) {
        this.option = option;
        this.written = List.copyOf(written);
    }

    /**
     * @param option the option's name in messages
     * @param written {@code KEY=VALUE} each, the value in YAML
     */
    public static Overrides of(String option, List<String> written) {
        return new Overrides(option, written);
    }

    /** Returns the file with these overrides applied. */
    Mapping in(Mapping file, Problems problems) {
        Mapping tree = file;
        for (int i = 0; i < written.size(); i++) {
            Position place = new Position(FIRST_LINE + i + 1, 1);
            int equals = written.get(i).indexOf('=');
            String key = equals < 0
                    ? ""
                    : SettingKey.whole(written.get(i).substring(0, equals).strip());
            if (key.equals("scenario")) {
                problems.add(place, "scenario is the name of the whole file and cannot be set; write it in the file");
                continue;
            }
            if (!Sweep.isKey(key)) {
                String listed = key.replaceFirst("^(sweep|search)\\.", "");
                problems.add(
                        place,
                        YamlReader.printable(written.get(i))
                                + " is not KEY=VALUE with a dotted scenario key; write "
                                + (Sweep.isKey(listed)
                                        ? YamlReader.printable(
                                                listed + written.get(i).substring(equals))
                                        : "for example training.micro_batch=4"));
                continue;
            }
            if (written.get(i).substring(equals + 1).isBlank()) {
                problems.add(place, key + " has no value; write " + key + "=VALUE");
                continue;
            }
            YamlNode value = value(written.get(i).substring(equals + 1), place, problems);
            if (value != null && isKey(key, place, problems)) {
                tree = withValue(tree, key, value, place, problems);
            }
        }
        return tree;
    }

    /** Checks a key; one that occurs in several blocks needs its block. */
    private static boolean isKey(String key, Position place, Problems problems) {
        if (key.indexOf('.') >= 0 || ScenarioKeys.FILE.names().contains(key)) {
            return true;
        }
        List<String> settable =
                ScenarioKeys.FILE.names().stream().filter(Sweep::isKey).toList();
        List<String> meant = SettingKey.known().stream()
                .filter(known -> known.endsWith("." + key))
                .distinct()
                .toList();
        problems.add(
                place,
                meant.isEmpty()
                        ? "unknown key " + key + "; " + Nearest.remedy(key, settable)
                        : "key " + key + " is in several blocks; write " + String.join(" or ", meant) + "=...");
        return false;
    }

    private static @Nullable YamlNode value(String text, Position place, Problems problems) {
        Problems own = new Problems(problems.file());
        YamlNode value = YamlReader.readText(text, own);
        own.inOrder().forEach(problem -> problems.add(place, problem.message()));
        return value == null || own.size() > 0 ? null : at(place, value);
    }

    /** Copies a value, with every node of it at one position. */
    private static YamlNode at(Position place, YamlNode node) {
        if (node instanceof Mapping block) {
            return new Mapping(
                    place,
                    block.entries().stream()
                            .map(entry -> new Entry(entry.key(), place, at(place, entry.value())))
                            .toList());
        }
        if (node instanceof Sequence list) {
            return new Sequence(
                    place, list.items().stream().map(item -> at(place, item)).toList());
        }
        Scalar scalar = (Scalar) node;
        return new Scalar(place, scalar.text(), scalar.plain());
    }

    private static Mapping withValue(Mapping file, String key, YamlNode value, Position place, Problems problems) {
        List<Entry> axes = new ArrayList<>();
        Entry sweep = file.entry(SWEEP);
        if (sweep != null && sweep.value() instanceof Mapping block) {
            for (Entry axis : block.entries()) {
                if (axis.key().equals(key) && value instanceof Sequence) {
                    axes.add(new Entry(key, place, value));
                } else if (!axis.key().equals(key) && !axis.key().startsWith(key + ".")) {
                    axes.add(key.startsWith(axis.key() + ".") ? inEach(axis, key, value, place, problems) : axis);
                }
            }
        }
        Mapping tree = withoutSearch(file, key);
        if (!(value instanceof Sequence)) {
            tree = replaced(tree, key, value, place, problems);
        } else if (axes.stream().noneMatch(axis -> axis.key().equals(key))) {
            axes.add(new Entry(key, place, value));
        }
        if (sweep != null && !(sweep.value() instanceof Mapping)) {
            return tree;
        }
        return withSweep(tree, axes, sweep == null ? place : sweep.keyPosition());
    }

    /** Drops the search over a key that is overridden. */
    private static Mapping withoutSearch(Mapping file, String key) {
        Entry search = file.entry(ScenarioKeys.SEARCH);
        if (search == null || !(search.value() instanceof Mapping block)) {
            return file;
        }
        List<Entry> lists = new ArrayList<>(block.entries());
        lists.removeIf(list -> list.key().equals(key));
        List<Entry> entries = new ArrayList<>(file.entries());
        entries.set(
                entries.indexOf(search),
                new Entry(search.key(), search.keyPosition(), new Mapping(block.position(), lists)));
        return new Mapping(file.position(), entries);
    }

    private static Mapping withSweep(Mapping file, List<Entry> axes, Position place) {
        List<Entry> entries = new ArrayList<>(file.entries());
        entries.removeIf(entry -> entry.key().equals(SWEEP));
        if (!axes.isEmpty()) {
            entries.add(new Entry(SWEEP, place, new Mapping(place, axes)));
        }
        return new Mapping(file.position(), entries);
    }

    private static boolean has(YamlNode item, String key, YamlNode value) {
        Entry own = item instanceof Mapping block ? block.entry(key) : null;
        return own != null
                && own.value() instanceof Scalar scalar
                && value instanceof Scalar wanted
                && scalar.text().equals(wanted.text());
    }

    /**
     * Returns a sweep over blocks that contain the key: only the blocks with that value, or if there are none, all blocks with the value set in each.
     */
    private static Entry inEach(Entry axis, String key, YamlNode value, Position place, Problems problems) {
        if (!(axis.value() instanceof Sequence list)) {
            return axis;
        }
        String rest = key.substring(axis.key().length() + 1);
        List<YamlNode> having =
                list.items().stream().filter(item -> has(item, rest, value)).toList();
        if (!having.isEmpty()) {
            return new Entry(axis.key(), axis.keyPosition(), new Sequence(list.position(), having));
        }
        List<YamlNode> items = list.items().stream()
                .map(item -> item instanceof Mapping block && !(value instanceof Sequence)
                        ? replaced(block, rest, value, place, problems)
                        : item)
                .toList();
        return new Entry(axis.key(), axis.keyPosition(), new Sequence(list.position(), items));
    }

    private static Mapping replaced(Mapping block, String key, YamlNode value, Position place, Problems problems) {
        int dot = key.indexOf('.');
        String first = dot < 0 ? key : key.substring(0, dot);
        Entry old = block.entry(first);
        YamlNode replacement = value;
        if (dot >= 0) {
            YamlNode inner = old == null ? new Mapping(place, List.of()) : old.value();
            if (!(inner instanceof Mapping innerBlock)) {
                problems.add(
                        place,
                        key + " needs a block, but " + first + " is " + inner.kind() + "; set " + first + " itself");
                return block;
            }
            replacement = replaced(innerBlock, key.substring(dot + 1), value, place, problems);
        }
        List<Entry> entries = new ArrayList<>(block.entries());
        Entry entry = new Entry(first, old == null || dot < 0 ? place : old.keyPosition(), replacement);
        if (old == null) {
            entries.add(entry);
        } else {
            entries.set(entries.indexOf(old), entry);
        }
        return new Mapping(block.position(), entries);
    }

    /** Returns problems as the user sees them, those of an override with its number. */
    List<Problem> told(List<Problem> problems) {
        return problems.stream()
                .map(problem -> problem.position().line() > FIRST_LINE
                        ? new Problem(
                                option + " " + (problem.position().line() - FIRST_LINE),
                                Position.NONE,
                                problem.message())
                        : problem)
                .toList();
    }
}
