package io.shardsim.scenarios.demo;

import io.shardsim.reports.writing.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A question that is predicted first and answered by running a scenario of the library. It holds no figure: every number that is given, answered and said
 * comes from the runs.
 *
 * @param id number and name, for example {@code 1-sharding}
 * @param scenario file of the library, without its ending
 * @param points names for points of the scenario's sweep, by the sweep's values
 * @param told what is said before the prediction and after it
 * @param shown how the answer is drawn, listed and watched
 * @param tour its place in the tour of the page; null where it has none
 */
public record Lesson(
        String id,
        String title,
        String scenario,
        Map<String, Map<String, Object>> points,
        Question question,
        Told told,
        Shown shown,
        @Nullable Stop tour) {
    /**
     * What is predicted.
     *
     * @param figure of the result document
     * @param given points whose figure is told beforehand
     * @param asked the point whose figure is predicted
     * @param again the question that follows
     */
    record Question(String words, String figure, List<String> given, String asked, Again again) {}

    /**
     * A second question about the same figure, which whoever understood the cause can answer.
     *
     * @param of a point of the lesson, which is given
     * @param name of the point that is asked for, in words
     * @param changes what is changed of the given point
     * @param says the answer's sentence, with figures in braces as in {@link Told}; the changed point is {@code again}
     */
    record Again(String words, String of, String name, Map<String, String> changes, String says) {}

    /**
     * What is said.
     *
     * @param before paragraphs that lead to the question
     * @param after paragraphs with figures in braces: {@code {point.figure}}, or the ratio or difference of two
     * @param teacher hints for whoever teaches
     */
    record Told(List<String> before, List<String> after, List<String> teacher) {}

    /**
     * What is shown afterwards.
     *
     * @param table figures of the table of results
     * @param watch two points to watch side by side; empty where the step looks the same
     * @param why what of them shows the cause; null where nothing is watched
     */
    record Shown(
            Drawing draw,
            List<String> table,
            List<String> watch,
            @Nullable Why why) {}

    /** Charts of the report that a lesson may have. */
    enum Kind {
        /** A bar per run. */
        BARS,
        /** A bar per run, stacked from what holds its memory. */
        OWNERS,
        /** A figure against a value of the sweep, a line per series. */
        LINES
    }

    /**
     * The chart of an answer, with a mark for each run.
     *
     * @param x value of the sweep that lines run along
     * @param axis the same in words
     * @param series value of the sweep that has a line for each of its own
     * @param stages of a pipeline, whose bubble by the law is drawn, too
     */
    record Drawing(
            Kind kind,
            String figure,
            @Nullable String x,
            @Nullable String axis,
            @Nullable String series,
            @Nullable Integer stages) {}

    /**
     * A stop of the tour: one sentence, then motion.
     *
     * @param stop from 1
     * @param words at most 20, with figures in braces as in {@link Told}
     * @param chart whether the chart of the answer is its motion, in place of what {@link Why} names
     */
    record Stop(int stop, String title, String words, boolean chart) {
        JsonObject document() {
            return new JsonObject().with("stop", stop).with("title", title).with("chart", chart);
        }
    }

    /**
     * Where the two runs that are watched show why.
     *
     * @param halo what to look at, see {@code haloed} in cluster.js
     * @param side that has it; null where both have
     * @param from the instant, as a share of the longer run
     * @param microseconds how long a motion from there is, in virtual time; null to the end of the run
     */
    record Why(
            String halo,
            @Nullable String side,
            double from,
            @Nullable Long microseconds) {
        JsonObject document() {
            return new JsonObject()
                    .with("halo", halo)
                    .with("side", side)
                    .with("from", from)
                    .with("microseconds", microseconds);
        }
    }

    public Lesson {
        points = Collections.unmodifiableMap(new LinkedHashMap<>(points));
    }

    /** What the page is told before the prediction. */
    JsonObject asked() {
        return new JsonObject()
                .with("id", id)
                .with("title", title)
                .with("before", told.before())
                .with("question", question.words())
                .with("why", shown.why() == null ? null : shown.why().document())
                .with("teacher", told.teacher())
                .with("tour", tour == null ? null : tour.document());
    }
}
