package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * A scenario whose assertions fail until the right setting is changed.
 *
 * @param id number of its lesson, and a name
 * @param change keys that may be changed: dotted keys, or a block and {@code .*}
 * @param hints hints, each revealing more
 * @param answer settings with which the assertions hold
 * @param why why they do
 * @param text the scenario handed out
 */
public record Exercise(
        String id,
        String title,
        List<String> change,
        List<String> hints,
        Map<String, Object> answer,
        String why,
        String text) {
    private static final ResourceDirectory ANSWERS = new ResourceDirectory("exercises", ".yaml");
    private static final ResourceDirectory TASKS = new ResourceDirectory("exercises/tasks", ".yaml");
    private static final YAMLMapper MAPPER = YAMLMapper.builder().build();
    /** Keys that students may set freely. */
    private static final List<String> FREE = List.of("scenario", "assert", "assert.*");

    /** Returns all exercises, by lesson number. */
    public static List<Exercise> all() {
        return ANSWERS.names().stream()
                .map(Exercise::read)
                .sorted(Comparator.comparingInt(exercise -> Integer.parseInt(exercise.number())))
                .toList();
    }

    /** Returns the exercise of a lesson number or name; null if there is none. */
    public static @Nullable Exercise find(String name) {
        return all().stream()
                .filter(exercise ->
                        exercise.id().equals(name) || exercise.number().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static Exercise read(String id) {
        Exercise read = MAPPER.readValue(Lessons.text("/" + ANSWERS.path(id)), Exercise.class);
        return new Exercise(
                id, read.title, read.change, read.hints, read.answer, read.why, Lessons.text("/" + TASKS.path(id)));
    }

    public String number() {
        return id.substring(0, id.indexOf('-'));
    }

    /** Returns the scenario handed out. */
    public Scenario task() throws InputException {
        return ScenarioReader.readText(id + ".yaml", text);
    }

    /**
     * Returns forbidden changes of a solution from the task: key, both values.
     *
     * @param solution YAML of a valid scenario
     */
    public List<String> forbidden(String solution) {
        Map<String, String> given = flat(text);
        Map<String, String> changed = flat(solution);
        TreeSet<String> keys = new TreeSet<>(given.keySet());
        keys.addAll(changed.keySet());
        List<String> problems = new ArrayList<>();
        for (String key : keys) {
            String before = given.getOrDefault(key, "not set");
            String after = changed.getOrDefault(key, "not set");
            if (!before.equals(after) && !mayChange(key)) {
                problems.add(key + " is " + after + ", and " + before + " in the exercise; restore it and change "
                        + String.join(" or ", change));
            }
        }
        return problems;
    }

    private boolean mayChange(String key) {
        return Stream.concat(FREE.stream(), change.stream())
                .anyMatch(allowed -> allowed.endsWith(".*")
                        ? key.startsWith(allowed.substring(0, allowed.length() - 1))
                        : key.equals(allowed));
    }

    /** Returns values by dotted key; a list is one value. */
    private static Map<String, String> flat(String yaml) {
        Map<String, String> flat = new LinkedHashMap<>();
        flatten("", MAPPER.readTree(yaml), flat);
        return flat;
    }

    private static void flatten(String key, JsonNode node, Map<String, String> flat) {
        if (!node.isObject()) {
            flat.put(key, node.isValueNode() ? node.asString() : node.toString());
            return;
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            flatten(key.isEmpty() ? entry.getKey() : key + "." + entry.getKey(), entry.getValue(), flat);
        }
    }
}
