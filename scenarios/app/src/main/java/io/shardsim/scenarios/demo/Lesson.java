package io.shardsim.scenarios.demo;

import io.shardsim.reports.writing.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A question to predict first, answered by running a library scenario. It contains no figures: every number given, asked or mentioned comes from the
 * runs.
 *
 * @param id number and name, for example {@code 1-sharding}
 * @param scenario library file, without its extension
 * @param points names of points in the scenario's sweep, by swept values
 * @param told text before and after the prediction
 * @param shown how the answer is drawn, tabulated and watched
 * @param tour its stop on the page's tour; null if it has none
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
     * The question to predict.
     *
     * @param figure field of the result document
     * @param given points whose figure is given beforehand
     * @param asked the point whose figure is to be predicted
     * @param again the follow-up question
     */
    record Question(String words, String figure, List<String> given, String asked, Again again) {}

    /**
     * A follow-up question about the same figure, to test whether the cause was understood.
     *
     * @param of a point of the lesson, which is given
     * @param name description of the point in question
     * @param changes changes to the given point
     * @param says the answer's sentence, with figures in braces as in {@link Told}; the changed point is {@code again}
     */
    record Again(String words, String of, String name, Map<String, String> changes, String says) {}

    /**
     * The text of a lesson.
     *
     * @param before paragraphs that lead to the question
     * @param after paragraphs with figures in braces: {@code {point.figure}}, or the ratio or difference of two
     * @param teacher hints for teachers
     */
    record Told(List<String> before, List<String> after, List<String> teacher) {}

    /**
     * The presentation of the answer.
     *
     * @param table figures of the table of results
     * @param watch two points to watch together; empty if their steps look alike
     * @param why what in them shows the cause; null if nothing is watched
     */
    record Shown(
            Drawing draw,
            List<String> table,
            List<String> watch,
            @Nullable Why why) {}

    /** Charts of the report that a lesson may use. */
    enum Kind {
        /** A bar per run. */
        BARS,
        /** A stacked bar per run, of memory by owner. */
        OWNERS,
        /** A figure over a swept value, a line per series. */
        LINES
    }

    /**
     * The chart of an answer, with a mark for each run.
     *
     * @param x swept value on the x axis
     * @param axis label of the x axis
     * @param series swept value with a line for each of its values
     * @param stages pipeline stages, for also drawing the theoretical bubble
     */
    record Drawing(
            Kind kind,
            String figure,
            @Nullable String x,
            @Nullable String axis,
            @Nullable String series,
            @Nullable Integer stages) {}

    /**
     * A stop of the tour: one sentence, then an animation.
     *
     * @param stop number, from 1
     * @param words at most 20 words, with figures in braces as in {@link Told}
     * @param chart whether to animate the answer's chart instead of {@link Why}
     */
    record Stop(int stop, String title, String words, boolean chart) {
        JsonObject document() {
            return new JsonObject().with("stop", stop).with("title", title).with("chart", chart);
        }
    }

    /**
     * Where the two watched runs show the cause.
     *
     * @param halo the highlighted parts, see {@code haloed} in cluster.js
     * @param side the side that has them; null for both
     * @param from start, as a share of the longer run
     * @param microseconds length of the animation in virtual time; null to the end of the run
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

    /** Returns the page's data before the prediction. */
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
