package io.shardsim.scenarios.demo;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.reports.writing.html.LessonFigure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Results of a lesson's runs: figures that are given or asked for, paragraphs with their figures, a chart and a table. */
public final class LessonAnswer {
    private static final Pattern FIGURE =
            Pattern.compile("\\{([a-z0-9_]+)\\.([a-z0-9_.]+)(?: ([/-]) ([a-z0-9_]+)\\.([a-z0-9_.]+))?}");
    private static final Map<String, String> WORDS = Map.of(
            "nic_bytes_sent", "bytes over all NICs",
            "peak_memory_bytes_per_gpu", "peak memory per GPU",
            "step_seconds", "training step",
            "exposed_communication_seconds", "exposed communication",
            "exposed_share", "exposed share of the step",
            "collective_seconds", "time",
            "bus_bandwidth_bytes_per_second", "bus bandwidth",
            "samples_per_second", "samples/s",
            "around_step.goodput.share", "goodput");

    /** Name of the follow-up question's point. */
    static final String AGAIN = "again";

    private final Lesson lesson;
    private final Map<String, Map<String, @Nullable Object>> results = new LinkedHashMap<>();
    private final Map<String, RunResult> runs;

    /**
     * @param runs the result of each point that ran, by its name in the lesson
     * @param again the result of the follow-up question; null if only the given points ran
     */
    public LessonAnswer(Lesson lesson, Map<String, RunResult> runs, @Nullable RunResult again) {
        this.lesson = lesson;
        this.runs = new LinkedHashMap<>(runs);
        runs.forEach((name, run) -> results.put(name, ResultsJson.page(run)));
        if (again != null) {
            results.put(AGAIN, ResultsJson.page(again));
        }
    }

    private double value(String point, String figure) {
        if (figure.equals("exposed_share")) {
            return value(point, "exposed_communication_seconds") / value(point, "step_seconds");
        }
        Object at = results.get(point);
        for (String key : figure.split("\\.")) {
            at = at instanceof Map<?, ?> block ? block.get(key) : null;
        }
        if (!(at instanceof Number number)) {
            throw new IllegalStateException(lesson.id() + ": no figure " + point + "." + figure);
        }
        return number.doubleValue();
    }

    /** Returns the question's figure at a named point. */
    JsonObject quantity(String point) {
        return quantity(name(Objects.requireNonNull(runs.get(point), point)), point);
    }

    private JsonObject quantity(String name, String point) {
        String figure = lesson.question().figure();
        double value = value(point, figure);
        return new JsonObject()
                .with("name", name)
                .with("value", value)
                .with("text", FigureUnit.of(figure).quantity(value));
    }

    /** Returns the page's data with the question. */
    JsonObject given() {
        return new JsonObject()
                .with("unit", FigureUnit.of(lesson.question().figure()).id())
                .list("given", lesson.question().given(), this::quantity)
                .with(
                        "asked",
                        PointWords.of(Objects.requireNonNull(
                                lesson.points().get(lesson.question().asked()))));
    }

    /** Returns the page's data after the prediction. */
    JsonObject document() {
        return new JsonObject()
                .with("asked", quantity(lesson.question().asked()))
                .with("after", after())
                .with(AGAIN, again())
                .with(
                        "stop",
                        lesson.tour() == null ? null : filled(lesson.tour().words()))
                .with("chart", chart())
                .with("table", table())
                .with("scenario", "scenarios/library/" + lesson.scenario() + ".yaml");
    }

    /** Returns the follow-up question with its answer. */
    JsonObject again() {
        Lesson.Again again = lesson.question().again();
        return new JsonObject()
                .with("words", again.words())
                .with("given", quantity(again.of()))
                .with("asked", quantity(again.name(), AGAIN))
                .with("says", filled(again.says()));
    }

    /** Returns the page's chart, with a mark for each run. */
    private JsonObject chart() {
        Lesson.Drawing drawing = lesson.shown().draw();
        FigureUnit unit = FigureUnit.of(drawing.figure());
        List<JsonObject> marks = new ArrayList<>();
        runs.forEach((point, run) -> {
            double value = value(point, drawing.figure());
            JsonObject mark = new JsonObject()
                    .with("name", name(run))
                    .with("value", value)
                    .with("text", unit.quantity(value))
                    .with("x", drawing.x() == null ? null : swept(run, drawing.x()))
                    .with("series", series(run, drawing.series()));
            if (drawing.kind() == Lesson.Kind.OWNERS) {
                mark.with("owners", LessonFigure.owners(run.facts().ledger()))
                        .with("capacity", run.facts().ledger().capacityBytes());
            }
            marks.add(mark);
        });
        return new JsonObject()
                .with("kind", drawing.kind())
                .with("title", name(drawing.figure()))
                .with("unit", unit.id())
                .with("axis", drawing.axis())
                .with("stages", drawing.stages())
                .with("marks", marks)
                .with("palette", LessonFigure.palette());
    }

    /** Returns a run's swept value of a dotted key. */
    private static @Nullable Object swept(RunResult run, String key) {
        Map<String, ?> point = run.facts().point();
        int dot = key.indexOf('.');
        return point.containsKey(key) || dot < 0
                ? point.get(key)
                : point.get(key.substring(0, dot)) instanceof Map<?, ?> block
                        ? block.get(key.substring(dot + 1))
                        : null;
    }

    private static String series(RunResult run, @Nullable String key) {
        return key == null ? "simulated" : PointWords.of(Map.of(key, Objects.requireNonNull(swept(run, key))));
    }

    /** Returns paragraphs with the figures filled in. */
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
            String words = "/".equals(matcher.group(3))
                    ? Quantities.significant(value / other)
                    : FigureUnit.of(figure).words(value - other);
            matcher.appendReplacement(out, Matcher.quoteReplacement(words));
        }
        matcher.appendTail(out);
        if (out.indexOf("{") >= 0) {
            throw new IllegalStateException(lesson.id() + ": not understood: " + out);
        }
        return out.toString();
    }

    private static String name(String figure) {
        return WORDS.getOrDefault(
                figure, figure.substring(figure.lastIndexOf('.') + 1).replace('_', ' '));
    }

    /** Describes a point. */
    private static String name(RunResult run) {
        RunFacts.Strategy strategy = run.facts().strategy();
        boolean grouped =
                run.facts().point().get("strategy") instanceof Map<?, ?> block && block.containsKey("shard_group");
        // A group larger than the cluster is the whole cluster.
        Map<String, String> group = strategy != null && grouped
                ? Map.of("strategy.shard_group", String.valueOf(strategy.shardGroup()))
                : Map.of();
        return PointWords.of(PointWords.changed(run.facts().point(), group));
    }

    /** Returns figures of every point, with a header row. */
    public List<List<String>> table() {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("run"));
        lesson.shown().table().forEach(figure -> head.add(name(figure)));
        rows.add(head);
        runs.forEach((name, run) -> {
            List<String> row = new ArrayList<>(List.of(name(run)));
            lesson.shown()
                    .table()
                    .forEach(figure -> row.add(FigureUnit.of(figure).words(value(name, figure))));
            rows.add(row);
        });
        return rows;
    }
}
