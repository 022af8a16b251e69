package io.shardsim.scenarios.logs;

import io.shardsim.simulator.schema.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A number with its unit, as people and logs write them. The table {@code units} of {@code logs/formats.yaml} has the names.
 *
 * @param unit unit as printed in answers
 */
public record WrittenSpeed(double value, String unit) {
    /** Commas separate thousands only: 12,5 is rejected, since half of the world means 12.5. */
    private static final String NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?";

    private static final Pattern FIGURE = Pattern.compile("(" + NUMBER + ")\\s*([kKM]?)");
    private static final Pattern DECIMAL_COMMA = Pattern.compile("(\\d+),(\\d+.*)", Pattern.DOTALL);

    /** Boundaries of a number in a log line; a count of steps is not a speed. */
    private static final String FROM =
            "(?<![\\w.,])(?<!\\b(?:step|iter|iteration|epoch|batch)s?[ :=#]{1,3})(" + NUMBER + " ?[kKM]?)";

    private static final String TO = "(?![.,]?\\d)";

    private static final List<Name> NAMES = names();

    /** A name of a unit. */
    private record Name(String unit, String words, Pattern whole, double times, boolean inverse) {
        static Name of(Block block) {
            String words = "(?:" + block.text("words", "") + ")";
            return new Name(
                    block.text("unit", ""),
                    words,
                    Pattern.compile("(" + NUMBER + "\\s*(?-i:[kKM])?)\\s*" + words, Pattern.CASE_INSENSITIVE),
                    block.decimal("times", 1),
                    block.flag("inverse", false));
        }

        double of(double value) {
            return inverse ? times / value : times * value;
        }
    }

    private static List<Name> names() {
        return TrainingLog.TABLE.<Block>list("units").stream().map(Name::of).toList();
    }

    /** Returns the units, as printed in answers. */
    static List<String> units() {
        return NAMES.stream().map(Name::unit).distinct().toList();
    }

    /** Parses strings such as {@code 7.5k tokens/s/gpu} or {@code 1,890 ms}; null if invalid. */
    public static @Nullable WrittenSpeed of(String written) {
        String close = written.strip().replaceAll("\\s*/\\s*", "/");
        for (Name name : NAMES) {
            Matcher matcher = name.whole().matcher(close);
            if (matcher.matches()) {
                return new WrittenSpeed(name.of(number(matcher.group(1))), name.unit());
            }
        }
        return null;
    }

    /** Returns what to write instead of a number with a decimal comma; null if there is none. */
    public static @Nullable String withoutComma(String written) {
        Matcher matcher = DECIMAL_COMMA.matcher(written);
        String point = matcher.matches() ? matcher.group(1) + "." + matcher.group(2) : "";
        return of(written) == null && of(point) != null ? point : null;
    }

    /** Parses a number, optionally followed by k or M; NaN if invalid. */
    static double number(String digits) {
        Matcher matcher = FIGURE.matcher(digits.strip());
        if (!matcher.matches()) {
            return Double.NaN;
        }
        double times = matcher.group(2).isEmpty() ? 1 : matcher.group(2).equals("M") ? 1e6 : 1e3;
        return Double.parseDouble(matcher.group(1).replace(",", "")) * times;
    }

    /** Converts a figure from a named unit. */
    static double number(String digits, String name) {
        WrittenSpeed one = of(digits + " " + name);
        return one == null ? Double.NaN : one.value();
    }

    /** Returns patterns of a unit's figures in log lines, most reliable first: {@code unit: 1}, {@code 1 unit}, {@code unit 1}. */
    static List<Pattern> inLines(String unit) {
        List<Pattern> patterns = new ArrayList<>();
        for (Name name : NAMES) {
            if (name.unit().equals(unit)) {
                String begins = "(?i)(?<!\\w)";
                String assigned = "['\"]?\\s*[:=]\\s*";
                patterns.add(Pattern.compile(begins + name.words() + assigned + "['\"]?(" + NUMBER + " ?[kKM]?)" + TO));
                patterns.add(Pattern.compile("(?i)" + FROM + " ?" + name.words() + "(?![\\w/])(?!" + assigned + ")"));
                patterns.add(Pattern.compile(begins + name.words() + " +(" + NUMBER + ")" + TO));
            }
        }
        return patterns;
    }
}
