package io.shardsim.scenarios.fuzz;

import io.shardsim.simulator.yaml.Problem;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Checks for text that no message and no result may contain. */
public final class Verdicts {
    private static final int MESSAGE_MAX = 2_000;

    /** Java names, and numbers that are none. */
    private static final Pattern INSIDE = Pattern.compile(
            "Exception|StackOverflow|OutOfMemoryError|io\\.shardsim|\\bjava\\.(lang|util|io|base)|\\bat [a-z]+(\\.\\w+)+\\(|\\bInfinity\\b|\\bNaN\\b");

    private Verdicts() {}

    /** Returns a refusal, if each of its messages is one readable line with a position in the input. */
    public static Outcome refusal(List<Problem> problems, String text) {
        long lines = text.lines().count();
        for (Problem problem : problems) {
            String wrong = message(problem.message(), text);
            if (wrong.isEmpty() && problem.position().line() > lines + 2) {
                wrong = "place beyond the end: " + problem;
            }
            if (!wrong.isEmpty()) {
                return Outcome.fault(wrong);
            }
        }
        return problems.isEmpty() ? Outcome.fault("refused without a message") : Outcome.of(Outcome.Kind.REFUSED);
    }

    /** Returns what is wrong with a message, which may quote the input; empty for nothing. */
    public static String message(String message, String input) {
        String line = message.replaceAll("\\s+", " ");
        String shown = line.substring(0, Math.min(200, line.length()));
        if (message.isBlank()) {
            return "blank message";
        }
        if (message.length() > MESSAGE_MAX || message.contains("\n")) {
            return "long message " + shown;
        }
        Matcher inside = INSIDE.matcher(message);
        while (inside.find()) {
            if (!input.contains(inside.group())) {
                return "message " + shown;
            }
        }
        return "";
    }

    /** Returns what is wrong with printed text, line by line; empty for nothing. */
    public static String printed(String text, String input) {
        for (String line : text.lines().toList()) {
            String wrong = line.isBlank() ? "" : message(line, input);
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        return "";
    }

    /** Returns an impossible value in a document: counts, bytes, times and shares are never negative, and no share of a time exceeds 1. */
    static String absurd(String key, JsonNode value) {
        if (value.isNumber()) {
            double number = value.doubleValue();
            boolean share = key.contains("utilization") || key.equals("mfu") || key.equals("hfu");
            boolean signed =
                    key.contains("error") || key.contains("gain") || key.contains("change") || key.contains("percent");
            if (!Double.isFinite(number) || number < 0 && !signed || share && number > 1.000001) {
                return key + " is " + (number < 0 ? "negative" : number > 1 ? "above 1" : "not finite");
            }
            return "";
        }
        if (value.isObject()) {
            for (Map.Entry<String, JsonNode> entry : value.properties()) {
                String absurd = entry.getKey().equals("comparisons") ? "" : absurd(entry.getKey(), entry.getValue());
                if (!absurd.isEmpty()) {
                    return absurd;
                }
            }
        }
        for (JsonNode item : value.isArray() ? value.values() : List.<JsonNode>of()) {
            String absurd = absurd(key, item);
            if (!absurd.isEmpty()) {
                return absurd;
            }
        }
        return "";
    }
}
