package io.shardsim.scenarios.studio;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.catalog.Machines;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.ScenarioSchema;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A page's choices: the catalog, the library, and every scenario key with its meaning, all from the command line's tables. */
public final class StudioOffer {
    /** Example questions, by their names in the library. */
    private static final List<String> EXAMPLES =
            List.of("zero3-against-mics", "network-for-zero3", "lora-8b-on-one-gpu");

    private final Map<String, Object> document = new LinkedHashMap<>();

    /**
     * @param build build of this program
     * @param start the initial scenario of the page
     */
    private StudioOffer(String build, Map<String, Object> start) {
        document.put("build", build);
        document.put("start", start);
        document.put("examples", EXAMPLES);
        document.put("schema", JsonMapper.shared().readTree(ScenarioSchema.write()));
        document.put("models", models());
        document.put("instances", Machines.instances());
        document.put("gpus", Machines.gpus());
        document.put("strategies", strategies());
        document.put("library", library());
        document.put(
                "frameworks",
                Arrays.stream(Framework.values())
                        .map(each -> Map.of("word", each.word(), "title", each.title(), "kinds", each.kinds()))
                        .toList());
    }

    /**
     * @param build build of this program
     * @param start the initial scenario of the page; null for one from the library
     * @throws InputException when it is not YAML
     */
    public static StudioOffer of(String build, @Nullable OpenedFile start) throws InputException {
        return new StudioOffer(build, start == null ? onePoint(EXAMPLES.get(0)) : start.tree());
    }

    /** Returns a library scenario reduced to one run without its sweep, for an immediate answer. */
    private static Map<String, Object> onePoint(String name) throws InputException {
        Map<String, Object> tree =
                new LinkedHashMap<>(OpenedFile.text(name, Objects.requireNonNull(library(name), name))
                        .tree());
        tree.remove("sweep");
        return tree;
    }

    /** Returns the initial scenario of the page. */
    Object start() {
        return Objects.requireNonNull(document.get("start"));
    }

    Map<String, Object> document() {
        return document;
    }

    /** Returns the text of a library scenario; null if there is none of this name. */
    static @Nullable String library(String name) {
        if (!Library.names().contains(name)) {
            return null;
        }
        try (InputStream in = Library.open(name)) {
            return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(name, failure);
        }
    }

    private static List<Map<String, String>> library() {
        List<Map<String, String>> all = new ArrayList<>();
        for (String name : Library.names()) {
            all.add(Map.of("name", name, "about", Library.comment(name).get(0)));
        }
        return all;
    }

    private static List<Map<String, String>> models() {
        List<Map<String, String>> all = new ArrayList<>();
        for (String name : Catalog.modelNames()) {
            all.add(Map.of(
                    "name",
                    name,
                    "about",
                    Objects.requireNonNull(Catalog.model(name), name).title()));
        }
        return all;
    }

    private static List<Map<String, Object>> strategies() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String kind : Strategies.kinds()) {
            StrategyDescriptor descriptor = Strategies.descriptor(kind);
            all.add(Map.of(
                    "name", kind,
                    "about", descriptor == null ? kind : descriptor.title(),
                    "parameters", descriptor == null ? List.of() : descriptor.parameters()));
        }
        return all;
    }
}
