package io.shardsim.scenarios.demo;

import io.shardsim.reports.writing.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A question that is predicted first and answered by running a scenario of the library. It holds no figure: which choice is right, and every number in what
 * is said afterwards, comes from the runs.
 *
 * @param id number and name, for example {@code 1-sharding}
 * @param scenario file of the library, without its ending
 * @param points names for points of the scenario's sweep, by the sweep's values
 * @param told what is said before the prediction and after it
 * @param show figures of the table of results
 * @param watch two points to watch side by side
 */
public record Lesson(
        String id,
        String title,
        String scenario,
        Map<String, Map<String, Object>> points,
        Question question,
        Told told,
        List<String> show,
        List<String> watch) {
    /**
     * What is predicted.
     *
     * @param figure of the result document, whose ratio between two points is asked for
     * @param compare the two points
     * @param choices ratios to choose from; the nearest one is right
     */
    record Question(String words, String figure, List<String> compare, List<Double> choices) {}

    /**
     * What is said.
     *
     * @param before paragraphs that lead to the question
     * @param after paragraphs with figures in braces: {@code {point.figure}}, or the ratio of two
     * @param teacher hints for whoever teaches
     */
    record Told(List<String> before, List<String> after, List<String> teacher) {}

    /** No choice that is further off counts as right. */
    private static final double RIGHT_WITHIN = 1.25;

    public Lesson {
        points = Collections.unmodifiableMap(new LinkedHashMap<>(points));
        watch = List.copyOf(watch);
    }

    /** The choice that differs least from a ratio, by factor; it is right if that is at most {@link #RIGHT_WITHIN}. */
    int nearestChoice(double ratio) {
        List<Double> choices = question.choices();
        int nearest = 0;
        for (int i = 1; i < choices.size(); i++) {
            if (factor(choices.get(i), ratio) < factor(choices.get(nearest), ratio)) {
                nearest = i;
            }
        }
        return nearest;
    }

    boolean isRight(int choice, double ratio) {
        return choice == nearestChoice(ratio) && factor(question.choices().get(choice), ratio) <= RIGHT_WITHIN;
    }

    private static double factor(double choice, double ratio) {
        return Math.max(choice / ratio, ratio / choice);
    }

    /** What the page is told before the prediction. */
    JsonObject asked() {
        return new JsonObject()
                .with("id", id)
                .with("title", title)
                .with("before", told.before())
                .with("question", question.words())
                .list("choices", question.choices(), Lesson::words);
    }

    static String words(double ratio) {
        return ratio == 1
                ? "the same"
                : ratio == 0.5
                        ? "half"
                        : (ratio == Math.rint(ratio) ? String.valueOf((long) ratio) : String.valueOf(ratio)) + " times";
    }
}
