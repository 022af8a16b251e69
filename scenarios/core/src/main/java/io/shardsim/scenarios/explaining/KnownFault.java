package io.shardsim.scenarios.explaining;

import io.shardsim.scenarios.catalog.CatalogKeys;
import io.shardsim.scenarios.catalog.SettingTypes;
import io.shardsim.scenarios.scenario.SettingKey;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What can make a training run slower than it should be: a small change of its scenario, in a file of the folder {@code catalog/faults}.
 *
 * @param title one line for people
 * @param odds how often it is the cause, as a multiple of that of a rare fault, before anything was measured [1]
 * @param strengths of the fault, one of which it has
 * @param ordered whether each strength is slower than the one before
 * @param unsimulated what it costs where that is not simulated; null where settings say what happens
 * @param question what to ask where a scenario leaves the fault's keys open; empty where that tells nothing
 * @param look what to look at to tell it from others: log lines, counters, settings
 * @param from where its figures come from
 */
public record KnownFault(
        String title,
        long odds,
        List<Variant> strengths,
        boolean ordered,
        @Nullable Unsimulated unsimulated,
        String question,
        List<String> look,
        Origin from) {
    private static final double FACTOR_MAX = 1000;

    /** The files; a factor stands for what {@link Explainer} scales. */
    public static final FigureFolder FILES = new FigureFolder(
            "catalog/faults",
            "fault",
            CatalogKeys.FILE.keys(
                    "fault",
                    Map.of(
                            "settings",
                            new MapType(new SettingKey(), SettingTypes.VALUE),
                            "times",
                            new MapType(
                                    ScalarTypes.choice("cluster.nics_per_node", "cluster.pcie", "faults.slow_nic"),
                                    ScalarTypes.decimal(1 / FACTOR_MAX, FACTOR_MAX)),
                            "text",
                            FigureType.LINE,
                            "source",
                            FigureFile.SOURCE)));

    /**
     * What is known of a fault that no setting makes.
     *
     * @param slowdownMax the most that it was seen to multiply a step with [1]
     * @param atMemoryEdge whether it happens only where memory is nearly full
     */
    public record Unsimulated(double slowdownMax, boolean atMemoryEdge) {}

    /** Where figures come from, and of when that is. */
    public record Origin(String source, String date) {}

    /**
     * One strength of a fault.
     *
     * @param title what is added to that of the fault
     * @param settings values by dotted key; those of parameters that a strategy lacks are left out
     * @param times factors by dotted key, of what the cluster has
     */
    public record Variant(String title, Map<String, String> settings, Map<String, Double> times) {
        private static Variant of(Block block, String title) {
            return new Variant(title, block.map("settings"), block.map("times"));
        }
    }

    /** Names of all faults, which are those of their files. */
    public static List<String> names() {
        return FILES.names();
    }

    /** The fault of a name, which must exist. */
    public static KnownFault named(String name) {
        return of(FILES.named(name));
    }

    /** What a file says. */
    public static KnownFault of(FigureFile file) {
        Block block = file.block();
        Block unsimulated = block.block("unsimulated");
        Block from = Objects.requireNonNull(block.block("from"), "a required block");
        return new KnownFault(
                file.title(),
                block.whole("odds", 1),
                strengths(Variant.of(block, ""), block.list("variants")),
                block.flag("ordered", false),
                unsimulated == null
                        ? null
                        : new Unsimulated(
                                unsimulated.decimal("slowdown_max", 1), unsimulated.flag("at_memory_edge", false)),
                block.text("question", ""),
                block.list("look"),
                new Origin(from.text("source", ""), from.text("date", "")));
    }

    /** Each with all settings and factors. */
    private static List<Variant> strengths(Variant all, List<Block> variants) {
        if (variants.isEmpty()) {
            return List.of(all);
        }
        List<Variant> strengths = new ArrayList<>();
        for (Block block : variants) {
            Variant variant = Variant.of(block, block.text("title", ""));
            Map<String, String> set = new LinkedHashMap<>(all.settings());
            set.putAll(variant.settings());
            Map<String, Double> scaled = new LinkedHashMap<>(all.times());
            scaled.putAll(variant.times());
            strengths.add(new Variant(variant.title(), set, scaled));
        }
        return strengths;
    }

    /** This fault and another one at once, of which only what to look at and how common they are is asked. */
    KnownFault and(KnownFault other) {
        List<String> both = new ArrayList<>(look);
        both.addAll(other.look);
        return new KnownFault(title, odds * other.odds, List.of(), false, null, "", both, from);
    }

    /** What a catalog says about it, a line an element. */
    public List<String> description() {
        List<String> lines = new ArrayList<>(List.of(title + " [" + from.source() + ", " + from.date() + "]"));
        for (Variant strength : strengths()) {
            List<String> words = new ArrayList<>();
            strength.settings().forEach((key, value) -> words.add(key + ": " + value));
            strength.times().forEach((key, factor) -> words.add(key + " x " + factor));
            if (!words.isEmpty()) {
                lines.add((strength.title().isEmpty() ? "" : strength.title() + ": ") + String.join(", ", words));
            }
        }
        look.forEach(where -> lines.add("look at: " + where));
        return lines;
    }
}
