package io.shardsim.scenarios.demo;

import io.shardsim.reports.RunResult;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The guided lessons, in the order in which they are taught, and their answers once somebody has run them. */
public final class Lessons {
    /** Their order is their numbers'; a further lesson is a file and its name here. */
    private static final List<String> IDS = List.of(
            "1-sharding", "2-ring-latency", "3-slow-nic", "4-hierarchical-gather", "5-gradient-sync", "6-scaling");

    private final List<Lesson> lessons = new ArrayList<>();
    private final Map<String, LessonAnswer> answers = new ConcurrentHashMap<>();

    /** Reads the lessons. */
    public static Lessons load() {
        Lessons lessons = new Lessons();
        YAMLMapper mapper = new YAMLMapper();
        for (String id : IDS) {
            Lesson read = mapper.readValue(text("/lessons/" + id + ".yaml"), Lesson.class);
            lessons.lessons.add(new Lesson(
                    id,
                    read.title(),
                    read.scenario(),
                    read.points(),
                    read.question(),
                    read.told(),
                    read.show(),
                    read.watch()));
        }
        return lessons;
    }

    private Lessons() {}

    private static String text(String resource) {
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

    /** The lesson of this name, or null. */
    @Nullable
    Lesson lesson(String id) {
        return lessons.stream()
                .filter(lesson -> lesson.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** Runs a lesson's points, or tells what they gave when somebody ran them before. */
    public LessonAnswer answer(Lesson lesson, RunRecorder runs) throws InterruptedException {
        LessonAnswer known = answers.get(lesson.id());
        if (known != null) {
            return known;
        }
        Map<String, RunResult> results = new LinkedHashMap<>();
        DemoScenario scenario = scenario(lesson);
        for (String name : lesson.points().keySet()) {
            results.put(name, runs.run(scenario.points().get(index(lesson, scenario, name)), null));
        }
        LessonAnswer answer = new LessonAnswer(lesson, results);
        answers.put(lesson.id(), answer);
        return answer;
    }

    /** The points of a lesson that are watched side by side. */
    static FirstSides sides(Lesson lesson, DemoScenario scenario) {
        return new FirstSides(
                index(lesson, scenario, lesson.watch().get(0)),
                index(lesson, scenario, lesson.watch().get(1)));
    }

    /** Where a point of a lesson stands in its scenario, by the name that the lesson gives it. */
    private static int index(Lesson lesson, DemoScenario scenario, String name) {
        Map<String, Object> wanted = lesson.points().get(name);
        for (int i = 0; i < scenario.points().size(); i++) {
            if (String.valueOf(scenario.points().get(i).values()).equals(String.valueOf(wanted))) {
                return i;
            }
        }
        throw new IllegalStateException(lesson.id() + ": its scenario has no point " + name + ", " + wanted);
    }

    /** The scenario of a lesson, as a page plays it. */
    static DemoScenario scenario(Lesson lesson) {
        String file = lesson.scenario() + ".yaml";
        try {
            return new DemoScenario(file, text("/library/" + file), lesson);
        } catch (InputException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }
}
