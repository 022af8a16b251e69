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
 * A known fault that slows down training: a small change of its scenario, from a file in {@code catalog/faults}.
 *
 * @param title a one-line description
 * @param odds prior odds relative to a rare fault [1]
 * @param strengths alternative strengths of the fault
 * @param ordered whether each strength is slower than the one before
 * @param unsimulated known cost if it is not simulated; null if settings reproduce it
 * @param question what to ask if a scenario leaves the fault's keys open; empty if that tells nothing
 * @param look how to tell it from others: log lines, counters, settings
 * @param from source of its figures
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

    /** The fault files; {@link Explainer} applies the factors under {@code times}. */
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
     * Known effect of a fault that no setting reproduces.
     *
     * @param slowdownMax largest observed slowdown of a step, as a factor [1]
     * @param atMemoryEdge whether it occurs only if memory is nearly full
     */
    public record Unsimulated(double slowdownMax, boolean atMemoryEdge) {}

    /** The source of figures, and its date. */
    public record Origin(String source, String date) {}

    /**
     * A strength of a fault.
     *
     * @param title suffix of the fault's title
     * @param settings values by dotted key; parameters that a strategy lacks are ignored
     * @param times factors on the cluster's values, by dotted key
     */
    public record Variant(String title, Map<String, String> settings, Map<String, Double> times) {
        private static Variant of(Block block, String title) {
            return new Variant(title, block.map("settings"), block.map("times"));
        }
    }

    /** Returns names of all faults, equal to their file names. */
    public static List<String> names() {
        return FILES.names();
    }

    /** Returns the fault of a name, which must exist. */
    public static KnownFault named(String name) {
        return of(FILES.named(name));
    }

    /** Reads a fault from a file. */
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

    /** Returns each strength with all settings and factors. */
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

    /** Combines this fault with another one, for their priors and what to look at. */
    KnownFault and(KnownFault other) {
        List<String> both = new ArrayList<>(look);
        both.addAll(other.look);
        return new KnownFault(title, odds * other.odds, List.of(), false, null, "", both, from);
    }

    /** Returns its catalog description by line. */
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
