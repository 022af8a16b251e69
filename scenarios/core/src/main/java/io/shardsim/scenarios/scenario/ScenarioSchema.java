package io.shardsim.scenarios.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON Schema of a scenario file, for editors and other tools; made from {@link ScenarioKeys} and kept beside it as a resource, which a
 * test compares.
 *
 * <p>Says less than the reader: names of the catalog, a strategy's own parameters and rules between keys are left to it. Keys that must be
 * present are asked for only where there is no sweep, since a sweep may give them.
 */
public final class ScenarioSchema {
    /** The committed schema, on the class path. */
    public static final String RESOURCE = "/schema/scenario.schema.json";

    private ScenarioSchema() {}

    /** The schema as text, equal from run to run. */
    public static String write() {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(lines))
                        .build()
                        .writeValueAsString(ordered(schema()))
                + "\n";
    }

    private static Map<String, Object> schema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "shardsim scenario");
        schema.put("description", "The model, how it is trained, the cluster, and the sweep.");
        schema.putAll(ScenarioKeys.FILE.schema());
        schema.put("required", List.of("scenario"));
        schema.put("if", Map.of("not", Map.of("required", List.of("sweep"))));
        Map<String, Object> complete = new LinkedHashMap<>(ScenarioKeys.FILE.completeSchema());
        complete.put(
                "oneOf",
                List.of(
                        Map.of("required", List.of("workload")),
                        Map.of("required", List.of("model", "training", "strategy"))));
        // One GPU alone needs no number of nodes.
        List<Object> placed = List.of(Map.of("required", List.of("nodes")), Map.of("required", List.of("gpu")));
        complete.put("allOf", List.of(Map.of("properties", Map.of("cluster", Map.of("anyOf", placed)))));
        schema.put("then", complete);
        return schema;
    }

    /** The same tree with every map in an order that does not change from run to run. */
    private static Object ordered(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> ordered = map instanceof LinkedHashMap ? new LinkedHashMap<>() : new TreeMap<>();
            map.forEach((key, inner) -> ordered.put((String) key, ordered(inner)));
            return ordered;
        }
        if (value instanceof List<?> list) {
            List<Object> ordered = new ArrayList<>();
            list.forEach(inner -> ordered.add(ordered(inner)));
            return ordered;
        }
        return value;
    }
}
