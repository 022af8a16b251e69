package io.shardsim.scenarios.demo;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The guided lessons in teaching order, with their answers once they have run. */
public final class Lessons {
    private final List<Lesson> lessons = new ArrayList<>();
    /** Results of lessons' points, by lesson and point. */
    private final Map<String, RunResult> results = new ConcurrentHashMap<>();

    /** Reads the lessons. */
    public static Lessons load() {
        Lessons lessons = new Lessons();
        YAMLMapper mapper = YAMLMapper.builder()
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .build();
        for (String id : mapper.readValue(text("/lessons/order.yaml"), String[].class)) {
            Lesson read = mapper.readValue(text("/lessons/" + id + ".yaml"), Lesson.class);
            lessons.lessons.add(new Lesson(
                    id,
                    read.title(),
                    read.scenario(),
                    read.points(),
                    read.question(),
                    read.told(),
                    read.shown(),
                    read.tour()));
        }
        return lessons;
    }

    private Lessons() {}

    static String text(String resource) {
        try (InputStream in = Lessons.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(resource, failure);
        }
    }

    public List<Lesson> all() {
        return List.copyOf(lessons);
    }

    /** Returns the lesson of a name, or null. */
    @Nullable
    Lesson lesson(String id) {
        return lessons.stream()
                .filter(lesson -> lesson.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** Returns the results of all points of a lesson. */
    public LessonAnswer answer(Lesson lesson, RunRecorder runs) throws InterruptedException {
        return new LessonAnswer(lesson, results(lesson, lesson.points().keySet(), runs), again(lesson, runs));
    }

    /** Returns the results of a lesson's points that are given before the prediction. */
    LessonAnswer given(Lesson lesson, RunRecorder runs) throws InterruptedException {
        return new LessonAnswer(lesson, results(lesson, lesson.question().given(), runs), null);
    }

    /** Runs points, except those already run. */
    private Map<String, RunResult> results(Lesson lesson, Collection<String> names, RunRecorder runs)
            throws InterruptedException {
        Map<String, RunResult> answered = new LinkedHashMap<>();
        DemoScenario scenario = scenario(lesson);
        for (String name : names) {
            ScenarioPoint point = scenario.points().get(index(lesson, scenario, name));
            answered.put(name, result(lesson, name, point, runs));
        }
        return answered;
    }

    /** Runs the point of the follow-up question. */
    private RunResult again(Lesson lesson, RunRecorder runs) throws InterruptedException {
        Lesson.Again again = lesson.question().again();
        DemoScenario scenario = scenario(lesson);
        try {
            ScenarioPoint point = scenario.changed(index(lesson, scenario, again.of()), again.changes());
            return result(lesson, LessonAnswer.AGAIN, point, runs);
        } catch (InputException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }

    /** Returns the result of a lesson's point, running it if necessary. */
    private RunResult result(Lesson lesson, String name, ScenarioPoint point, RunRecorder runs)
            throws InterruptedException {
        String key = lesson.id() + "/" + name;
        RunResult result = results.get(key);
        if (result == null) {
            result = runs.run(point, null);
            results.put(key, result);
        }
        return result;
    }

    /** Returns the two points of a lesson to watch together. */
    static FirstSides sides(Lesson lesson, DemoScenario scenario) {
        return new FirstSides(
                index(lesson, scenario, lesson.shown().watch().get(0)),
                index(lesson, scenario, lesson.shown().watch().get(1)));
    }

    /** Returns the index in its scenario of a lesson's named point. */
    private static int index(Lesson lesson, DemoScenario scenario, String name) {
        Map<String, Object> wanted = lesson.points().get(name);
        for (int i = 0; i < scenario.points().size(); i++) {
            if (String.valueOf(scenario.points().get(i).values()).equals(String.valueOf(wanted))) {
                return i;
            }
        }
        throw new IllegalStateException(lesson.id() + ": its scenario has no point " + name + ", " + wanted);
    }

    /** Returns the scenario of a lesson, for a page. */
    static DemoScenario scenario(Lesson lesson) {
        String file = lesson.scenario() + ".yaml";
        try {
            return new DemoScenario(file, text("/library/" + file), lesson);
        } catch (InputException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }
}
