package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of a framework and its release: values for keys that the file omits, and the strategy's kind in that release. The file's own values win,
 * except for the kind.
 */
final class FrameworkDefaults {
    private static final String KEY = "framework";
    private static final String KIND = "strategy.kind";

    private final Position position;
    private final Problems problems;

    private FrameworkDefaults(Position position, Problems problems) {
        this.position = position;
        this.problems = problems;
    }

    /** Returns a tree with the framework's defaults added; the tree itself if it names no framework, or after problems were added. */
    static Mapping in(Mapping tree, List<String> notes, Problems problems) {
        if (!(value(tree, "strategy", "kind") instanceof Scalar kind)) {
            return tree;
        }
        Entry entry = tree.entry(KEY);
        if (entry != null && entry.value() instanceof Scalar written) {
            return new FrameworkDefaults(written.position(), problems).in(tree, written.text(), kind.text(), notes);
        }
        return tree;
    }

    private Mapping in(Mapping tree, String written, String kind, List<String> notes) {
        int before = problems.size();
        Map<String, String> brought = brought(tree, written, kind, notes);
        if (problems.size() > before) {
            return tree;
        }
        String inForce = brought.getOrDefault(KIND, kind);
        Mapping changed = inForce.equals(kind) ? tree : with(tree, KIND, inForce);
        StrategyDescriptor strategy = Strategies.descriptor(inForce);
        List<String> told = new ArrayList<>(inForce.equals(kind) ? List.of() : List.of("kind: " + inForce));
        brought.remove(KIND);
        for (Map.Entry<String, String> setting : brought.entrySet()) {
            String block = setting.getKey().substring(0, setting.getKey().indexOf('.'));
            String key = setting.getKey().substring(block.length() + 1);
            boolean exists = !block.equals("strategy") || (strategy != null && strategy.parameter(key) != null);
            if (exists && value(tree, block, key) == null) {
                changed = with(changed, setting.getKey(), setting.getValue());
                told.add(key + ": " + setting.getValue());
            }
        }
        if (!told.isEmpty()) {
            notes.add("framework " + written + " sets " + String.join(", ", told));
        }
        return changed;
    }

    /** Returns defaults by dotted key: the first framework's, overridden by those of the libraries named with it. */
    private Map<String, String> brought(Mapping tree, String written, String kind, List<String> notes) {
        Map<String, String> all = new LinkedHashMap<>();
        List<Releases> named = new ArrayList<>();
        for (String each : written.split("\\+")) {
            String[] words = each.trim().split("\\s+", 2);
            Releases.Release release = named.stream()
                    .map(framework -> framework.with().get(words[0]))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            if (release == null) {
                Releases framework = Releases.named(words[0]);
                if (framework == null) {
                    refuse(words[0], named);
                    continue;
                }
                named.add(framework);
                release = words.length == 1 ? framework.release(null) : release(framework, words[0], words[1], notes);
            }
            put(release, tree, kind, all);
        }
        if (value(tree, "training", "precision") instanceof Scalar precision
                && precision.text().equals("fp32")) {
            // FlashAttention's kernels need 16-bit inputs.
            all.put("training.attention", "standard");
        }
        return all;
    }

    /** Returns the release for a version as written; notes a version older than all known ones. */
    private Releases.Release release(Releases framework, String name, String version, List<String> notes) {
        String oldest = framework.oldest().from();
        if (!framework.canBe(version)) {
            problems.add(
                    position,
                    "framework " + name + " " + version + " is not a release; the first known is " + oldest
                            + " (shardsim catalog releases)");
        } else if (framework.isTooOld(version)) {
            notes.add("framework " + name + " " + version + " is older than " + oldest
                    + ", the oldest known release, which is used instead");
        }
        return framework.release(version);
    }

    private static void put(Releases.Release release, Mapping tree, String kind, Map<String, String> all) {
        all.putAll(release.settings());
        StrategyDescriptor strategy = Strategies.descriptor(kind);
        if (strategy != null && !strategy.family().equals(kind)) {
            all.putAll(release.kinds().getOrDefault(strategy.family(), Map.of()));
        }
        all.putAll(release.kinds().getOrDefault(kind, Map.of()));
        release.where().forEach((where, more) -> {
            String[] wanted = where.split("=", 2);
            int dot = wanted[0].indexOf('.');
            YamlNode value = value(tree, wanted[0].substring(0, dot), wanted[0].substring(dot + 1));
            if (value != null
                    && (wanted.length == 1
                            || value instanceof Scalar scalar && scalar.text().equals(wanted[1]))) {
                all.putAll(more);
            }
        });
    }

    private void refuse(String name, List<Releases> named) {
        List<String> known = new ArrayList<>(Releases.names());
        named.forEach(framework -> known.addAll(framework.with().keySet()));
        problems.add(
                position,
                "framework " + name + " is not in the catalog; " + Nearest.remedy(name, known)
                        + " (shardsim catalog releases)");
    }

    private static @Nullable YamlNode value(Mapping tree, String block, String key) {
        Entry outer = tree.entry(block);
        Entry inner = outer != null && outer.value() instanceof Mapping mapping ? mapping.entry(key) : null;
        return inner == null ? null : inner.value();
    }

    /** Returns the tree with one value of a block replaced. */
    private Mapping with(Mapping tree, String dotted, String value) {
        int dot = dotted.indexOf('.');
        List<Entry> entries = new ArrayList<>();
        for (Entry entry : tree.entries()) {
            boolean holds = entry.key().equals(dotted.substring(0, dot)) && entry.value() instanceof Mapping;
            entries.add(
                    holds
                            ? new Entry(
                                    entry.key(),
                                    entry.keyPosition(),
                                    with(
                                            (Mapping) entry.value(),
                                            dotted.substring(dot + 1),
                                            new Scalar(position, value, true)))
                            : entry);
        }
        return new Mapping(tree.position(), entries);
    }

    private Mapping with(Mapping block, String key, Scalar value) {
        List<Entry> entries = new ArrayList<>();
        block.entries().stream().filter(entry -> !entry.key().equals(key)).forEach(entries::add);
        entries.add(new Entry(key, position, value));
        return new Mapping(block.position(), entries);
    }
}
