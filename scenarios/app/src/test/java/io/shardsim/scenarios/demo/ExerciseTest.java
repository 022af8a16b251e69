package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.AssertedRun;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Every exercise fails as handed out, and holds with its answer. {@code docs/lessons/answers} gives the teacher the figures; with
 * {@code -Ddocs.write} it is written instead of compared.
 */
class ExerciseTest {
    private static final YAMLMapper MAPPER = YAMLMapper.builder().build();
    private static final Path ANSWERS = Path.of("..", "docs", "lessons", "answers");

    static List<Exercise> exercises() {
        return Exercise.all();
    }

    private static List<AssertedRun> goals(Exercise exercise, String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("solution.yaml", text);
        List<RunResult> results = new ArrayList<>();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : scenario.points()) {
                results.add(simulation.run(point));
            }
        }
        return AssertedRun.of(exercise.task(), ScenarioResult.of(scenario.name(), results));
    }

    /** Returns the task with its answer applied. */
    @SuppressWarnings("unchecked")
    static String solved(Exercise exercise) {
        Map<String, Object> tree = MAPPER.readValue(exercise.text(), LinkedHashMap.class);
        exercise.answer().forEach((key, value) -> {
            String[] words = key.split("[.]", 2);
            Object block = tree.computeIfAbsent(words[0], none -> new LinkedHashMap<String, Object>());
            ((Map<String, Object>) block).put(words[1], value);
        });
        return MAPPER.writeValueAsString(tree);
    }

    @ParameterizedTest
    @MethodSource("exercises")
    void failsAsGivenAndHoldsWithItsAnswer(Exercise exercise) throws Exception {
        List<AssertedRun> given = goals(exercise, exercise.text());
        assertThat(given).extracting(AssertedRun::holds).contains(false);
        String solution = solved(exercise);
        assertThat(exercise.forbidden(solution)).isEmpty();
        List<AssertedRun> solved = goals(exercise, solution);
        assertThat(solved)
                .filteredOn(goal -> !goal.holds())
                .extracting(AssertedRun::line)
                .isEmpty();
        assertThat(exercise.hints()).hasSizeGreaterThan(1);
        Path file = ANSWERS.resolve(exercise.id() + ".md");
        String document = document(exercise, given, solved);
        if (System.getProperty("docs.write") != null) {
            Files.createDirectories(ANSWERS);
            Files.writeString(file, document);
        }
        assertThat(file).content().isEqualTo(document);
    }

    private static String document(Exercise exercise, List<AssertedRun> given, List<AssertedRun> solved) {
        StringBuilder text = new StringBuilder();
        text.append("# Answer to exercise ")
                .append(exercise.number())
                .append(": ")
                .append(exercise.title())
                .append("\n\nFor the teacher. The task is [")
                .append(exercise.id())
                .append(".yaml](../../../scenarios/exercises/")
                .append(exercise.id())
                .append(".yaml).\n\n");
        exercise.answer().forEach((key, value) -> text.append("- `" + key + ": " + value + "`\n"));
        text.append("\n| goal | as given | with the answer |\n|---|--:|--:|\n");
        for (int i = 0; i < given.size(); i++) {
            text.append("| `")
                    .append(given.get(i).assertion().text())
                    .append("` | ")
                    .append(given.get(i).found())
                    .append(" | ")
                    .append(solved.get(i).found())
                    .append(" |\n");
        }
        text.append("\n").append(exercise.why()).append("\n\nHints, one by one:\n\n");
        exercise.hints().forEach(hint -> text.append("1. ").append(hint).append("\n"));
        return text.toString();
    }

    @Test
    void whatMayNotChangeIsNamed() {
        Exercise exercise = Exercise.find("9");
        assertThat(exercise).isNotNull();
        String other = exercise.text().replace("nodes: 8", "nodes: 16").replace("shard: 1", "shard: 2");
        assertThat(exercise.forbidden(other))
                .containsExactly("cluster.nodes is 16, and 8 in the exercise; restore it and change "
                        + "training.activation_checkpointing");
        assertThat(exercise.forbidden(exercise.text().replace("checkpointing: full", "checkpointing: none")))
                .isEmpty();
        assertThat(Exercise.find("99")).isNull();
    }
}
