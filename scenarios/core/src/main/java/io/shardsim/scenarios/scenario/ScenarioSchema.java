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
 * JSON Schema of a scenario file, for editors and other tools; generated from {@link ScenarioKeys} and committed as a resource, which a test
 * compares.
 *
 * <p>It checks less than the reader, which alone knows catalog names, strategy parameters and rules between keys. Keys are required only if there is
 * no sweep, since a sweep may set them.
 */
public final class ScenarioSchema {
    /** The committed schema, on the class path. */
    public static final String RESOURCE = "/schema/scenario.schema.json";

    private ScenarioSchema() {}

    /** Returns the schema as text, the same in every run. */
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
        // A single GPU needs no number of nodes.
        List<Object> placed = List.of(Map.of("required", List.of("nodes")), Map.of("required", List.of("gpu")));
        complete.put("allOf", List.of(Map.of("properties", Map.of("cluster", Map.of("anyOf", placed)))));
        schema.put("then", complete);
        return schema;
    }

    /** Returns the tree with every map in a deterministic order. */
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
