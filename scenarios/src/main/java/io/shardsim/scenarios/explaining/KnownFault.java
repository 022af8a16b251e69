package io.shardsim.scenarios.explaining;

import io.shardsim.scenarios.catalog.DataFiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * What can make a training run slower than it should be: a small change of its scenario, in a file of the folder {@code catalog/faults}.
 *
 * @param title one line for people
 * @param odds how often it is the cause, as a multiple of that of a rare fault, before anything was measured [1]
 * @param settings values by dotted key; those of parameters that a strategy lacks are left out
 * @param times factors by dotted key, of what the cluster has
 * @param variants different strengths of the fault, one of which it has; empty where it has but one
 * @param unsimulated what it costs where that is not simulated; null where settings say what happens
 * @param look what to look at to tell it from others: log lines, counters, settings
 * @param from where its figures come from
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record KnownFault(
        String title,
        int odds,
        Map<String, String> settings,
        Map<String, Double> times,
        List<Variant> variants,
        @Nullable Unsimulated unsimulated,
        List<String> look,
        Origin from) {
    private static final DataFiles<KnownFault> FILES = new DataFiles<>("catalog/faults", KnownFault.class);

    /**
     * What is known of a fault that no setting makes.
     *
     * @param slowdownMax the most that it was seen to multiply a step with [1]
     * @param atMemoryEdge whether it happens only where memory is nearly full
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    public record Unsimulated(double slowdownMax, boolean atMemoryEdge) {}

    /** Where figures come from, and of when that is. */
    public record Origin(String source, String date) {}

    /**
     * One strength of a fault.
     *
     * @param title what is added to that of the fault
     * @param settings further values by dotted key
     * @param times further factors by dotted key
     */
    public record Variant(String title, Map<String, String> settings, Map<String, Double> times) {
        public Variant {
            settings = settings == null ? Map.of() : new LinkedHashMap<>(settings);
            times = times == null ? Map.of() : new LinkedHashMap<>(times);
        }
    }

    public KnownFault {
        settings = settings == null ? Map.of() : new LinkedHashMap<>(settings);
        times = times == null ? Map.of() : new LinkedHashMap<>(times);
        variants = variants == null ? List.of() : List.copyOf(variants);
        look = List.copyOf(look);
    }

    /** Names of all faults, which are those of their files. */
    public static List<String> names() {
        return FILES.names();
    }

    /** The fault of a name, which must exist. */
    public static KnownFault named(String name) {
        KnownFault fault = FILES.read(name);
        if (fault == null) {
            throw new IllegalArgumentException("no fault " + name + ": the faults are " + String.join(", ", names()));
        }
        return fault;
    }

    /** Its strengths, each with all settings and factors. */
    List<Variant> strengths() {
        if (variants.isEmpty()) {
            return List.of(new Variant("", settings, times));
        }
        List<Variant> all = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, String> set = new LinkedHashMap<>(settings);
            set.putAll(variant.settings());
            Map<String, Double> scaled = new LinkedHashMap<>(times);
            scaled.putAll(variant.times());
            all.add(new Variant(variant.title(), set, scaled));
        }
        return all;
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
