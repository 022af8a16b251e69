package io.shardsim.scenarios.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number with an optional power of ten and unit, for example {@code 300B}, {@code 400k USD}, {@code 30d} or {@code 60s}. */
final class Amount {
    private static final Pattern NUMBER =
            Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?(?:e\\d{1,2})?)\\s*([kmbt]?)\\s*([a-z]*)");

    private static final Pattern TIME = Pattern.compile("(\\d{1,7}(?:\\.\\d{1,9})?)\\s*(s|min|h)");

    private Amount() {}

    /** Tokens. */
    static final class Tokens implements ITypeConverter<Double> {
        @Override
        public Double convert(String written) {
            return parse(written, "tokens", "300B");
        }
    }

    /** Dollars. */
    static final class Dollars implements ITypeConverter<Double> {
        @Override
        public Double convert(String written) {
            return parse(written, "usd", "400k USD");
        }
    }

    /** Days. */
    static final class Days implements ITypeConverter<Double> {
        @Override
        public Double convert(String written) {
            return parse(written, "d|days?", "30d");
        }
    }

    /** Seconds; infinite for {@code none}. */
    static final class Seconds implements ITypeConverter<Double> {
        @Override
        public Double convert(String written) {
            String time = written.strip().toLowerCase(Locale.ROOT);
            Matcher matcher = TIME.matcher(time);
            double seconds = time.equals("none")
                    ? Double.POSITIVE_INFINITY
                    : matcher.matches()
                            ? Double.parseDouble(matcher.group(1))
                                    * ("h".equals(matcher.group(2)) ? 3600 : "min".equals(matcher.group(2)) ? 60 : 1)
                            : 0;
            if (seconds > 0) {
                return seconds;
            }
            throw new TypeConversionException("'" + written + "' is not a time above 0 such as 60s or 10min, or none");
        }
    }

    private static double parse(String written, String unit, String example) {
        Matcher matcher = NUMBER.matcher(written.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches() && (matcher.group(3).isEmpty() || matcher.group(3).matches(unit))) {
            double value = Double.parseDouble(matcher.group(1)) * factor(matcher.group(2));
            if (value > 0 && value < 1e21) {
                return value;
            }
        }
        throw new TypeConversionException("'" + written + "' is not an amount above 0 such as " + example);
    }

    private static double factor(String power) {
        return switch (power) {
            case "k" -> 1e3;
            case "m" -> 1e6;
            case "b" -> 1e9;
            case "t" -> 1e12;
            default -> 1;
        };
    }
}
