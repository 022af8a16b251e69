package io.shardsim.scenarios.demo;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the runs of a lesson say: the ratio, the right choice, the paragraphs with their figures, and a table. */
public final class LessonAnswer {
    private static final Pattern FIGURE =
            Pattern.compile("\\{([a-z0-9_]+)\\.([a-z0-9_]+)(?: ([/-]) ([a-z0-9_]+)\\.([a-z0-9_]+))?}");
    private static final Map<String, String> WORDS = Map.of(
            "nic_bytes_sent", "bytes over NICs",
            "peak_memory_bytes_per_gpu", "peak memory of a GPU",
            "step_seconds", "training step",
            "exposed_communication_seconds", "exposed communication",
            "collective_seconds", "time",
            "bus_bandwidth_bytes_per_second", "bus bandwidth",
            "samples_per_second", "samples/s");

    private final Lesson lesson;
    private final Map<String, Map<String, @Nullable Object>> results = new LinkedHashMap<>();
    private final Map<String, RunResult> runs;

    /**
     * @param runs the result of each point of the lesson, by its name
     */
    public LessonAnswer(Lesson lesson, Map<String, RunResult> runs) {
        this.lesson = lesson;
        this.runs = new LinkedHashMap<>(runs);
        runs.forEach((name, run) -> results.put(name, ResultsJson.run(run)));
    }

    /** The ratio that is asked for. */
    public double ratio() {
        return value(lesson.question().compare().get(0), lesson.question().figure())
                / value(lesson.question().compare().get(1), lesson.question().figure());
    }

    public int rightChoice() {
        return lesson.nearestChoice(ratio());
    }

    private double value(String point, String figure) {
        Map<String, @Nullable Object> result = results.get(point);
        if (result == null || !(result.get(figure) instanceof Number number)) {
            throw new IllegalStateException(lesson.id() + ": no figure " + point + "." + figure);
        }
        return number.doubleValue();
    }

    /** Paragraphs with the figures in place. */
    public List<String> after() {
        return lesson.told().after().stream().map(this::filled).toList();
    }

    private String filled(String text) {
        Matcher matcher = FIGURE.matcher(text);
        StringBuilder out = new StringBuilder();
        while (matcher.find()) {
            String figure = Objects.requireNonNull(matcher.group(2));
            double value = value(Objects.requireNonNull(matcher.group(1)), figure);
            double other = matcher.group(3) == null
                    ? 0
                    : value(Objects.requireNonNull(matcher.group(4)), Objects.requireNonNull(matcher.group(5)));
            String words =
                    "/".equals(matcher.group(3)) ? Quantities.significant(value / other) : words(figure, value - other);
            matcher.appendReplacement(out, Matcher.quoteReplacement(words));
        }
        matcher.appendTail(out);
        if (out.indexOf("{") >= 0) {
            throw new IllegalStateException(lesson.id() + ": not understood: " + out);
        }
        return out.toString();
    }

    private static String words(String figure, double value) {
        if (figure.endsWith("bytes_per_second")) {
            return Quantities.bytesPerSecond(value);
        }
        if (figure.contains("memory")) {
            return Quantities.gib((long) value);
        }
        if (figure.contains("bytes")) {
            return Quantities.bytes(value);
        }
        return figure.endsWith("seconds") ? Quantities.seconds(value) : Quantities.significant(value);
    }

    /** Figures of every point, the first row names them. */
    public List<List<String>> table() {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("run"));
        lesson.show().forEach(figure -> head.add(WORDS.getOrDefault(figure, figure.replace('_', ' '))));
        rows.add(head);
        runs.forEach((name, run) -> {
            RunFacts.Strategy strategy = run.facts().strategy();
            boolean grouped =
                    run.facts().point().get("strategy") instanceof Map<?, ?> block && block.containsKey("shard_group");
            // A group larger than the cluster is the cluster.
            Map<String, String> group = strategy != null && grouped
                    ? Map.of("strategy.shard_group", String.valueOf(strategy.shardGroup()))
                    : Map.of();
            List<String> row = new ArrayList<>(
                    List.of(PointWords.of(PointWords.changed(run.facts().point(), group))));
            lesson.show().forEach(figure -> row.add(words(figure, value(name, figure))));
            rows.add(row);
        });
        return rows;
    }

    /** What the page is told after the prediction. */
    Map<String, Object> document() {
        return new JsonObject()
                .with("ratio", Quantities.significant(ratio()))
                .with("nearest", rightChoice())
                .with("right", lesson.isRight(rightChoice(), ratio()) ? rightChoice() : -1)
                .with("after", after())
                .with("table", table())
                .with("scenario", "scenarios/library/" + lesson.scenario() + ".yaml");
    }
}
