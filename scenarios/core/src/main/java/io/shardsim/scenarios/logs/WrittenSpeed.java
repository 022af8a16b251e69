package io.shardsim.scenarios.logs;

import io.shardsim.simulator.schema.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A number with its unit, as people and logs write both. The table {@code units} of {@code logs/formats.yaml} has the names.
 *
 * @param unit as answers write it
 */
public record WrittenSpeed(double value, String unit) {
    /** Commas separate thousands alone: 12,5 is no number, for half of the world means 12.5. */
    private static final String NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?";

    private static final Pattern FIGURE = Pattern.compile("(" + NUMBER + ")\\s*([kKM]?)");
    private static final Pattern DECIMAL_COMMA = Pattern.compile("(\\d+),(\\d+.*)", Pattern.DOTALL);

    /** Begins and ends a number in a line of a log; one that counts steps is no speed. */
    private static final String FROM =
            "(?<![\\w.,])(?<!\\b(?:step|iter|iteration|epoch|batch)s?[ :=#]{1,3})(" + NUMBER + " ?[kKM]?)";

    private static final String TO = "(?![.,]?\\d)";

    private static final List<Name> NAMES = names();

    /** One of the names of a unit. */
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

    /** The units, as answers write them. */
    static List<String> units() {
        return NAMES.stream().map(Name::unit).distinct().toList();
    }

    /** Reads for example {@code 7.5k tokens/s/gpu} or {@code 1,890 ms}; null where it is none. */
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

    /** What to write in place of a number with a decimal comma; null where it has none. */
    public static @Nullable String withoutComma(String written) {
        Matcher matcher = DECIMAL_COMMA.matcher(written);
        String point = matcher.matches() ? matcher.group(1) + "." + matcher.group(2) : "";
        return of(written) == null && of(point) != null ? point : null;
    }

    /** A number, perhaps with k or M behind it; NaN where it is none. */
    static double number(String digits) {
        Matcher matcher = FIGURE.matcher(digits.strip());
        if (!matcher.matches()) {
            return Double.NaN;
        }
        double times = matcher.group(2).isEmpty() ? 1 : matcher.group(2).equals("M") ? 1e6 : 1e3;
        return Double.parseDouble(matcher.group(1).replace(",", "")) * times;
    }

    /** A figure of a unit by one of its names. */
    static double number(String digits, String name) {
        WrittenSpeed one = of(digits + " " + name);
        return one == null ? Double.NaN : one.value();
    }

    /** Where a line of a log has a figure of a unit, the surest pattern first: {@code unit: 1}, {@code 1 unit}, {@code unit 1}. */
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
