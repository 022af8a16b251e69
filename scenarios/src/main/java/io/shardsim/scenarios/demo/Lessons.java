package io.shardsim.scenarios.demo;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
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
        for (String name : lesson.points().keySet()) {
            results.put(name, runs.run(point(lesson, name), null));
        }
        LessonAnswer answer = new LessonAnswer(lesson, results);
        answers.put(lesson.id(), answer);
        return answer;
    }

    /** A point of a lesson's scenario by the name that the lesson gives it. */
    static ScenarioPoint point(Lesson lesson, String name) {
        Map<String, Object> wanted = lesson.points().get(name);
        for (ScenarioPoint point : scenario(lesson).points()) {
            if (String.valueOf(point.values()).equals(String.valueOf(wanted))) {
                return point;
            }
        }
        throw new IllegalStateException(lesson.id() + ": its scenario has no point " + name + ", " + wanted);
    }

    private static Scenario scenario(Lesson lesson) {
        String file = lesson.scenario() + ".yaml";
        try {
            return ScenarioReader.readText(file, text("/library/" + file));
        } catch (InputException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }
}
