package io.shardsim.simulator.strategy.settings;

import io.shardsim.topology.units.Bandwidth;
import io.shardsim.topology.units.DataSize;
import io.shardsim.topology.units.Picoseconds;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Form of a strategy's parameter, inferred from its default: {@code elements}, {@code ranks}, {@code layers}, {@code stages} (whole numbers),
 * {@code 15 %}, a size such as {@code 1.2 GB}, a time such as {@code 20 us}, a rate such as {@code 10 GB/s}, {@code true} or {@code false}, or a
 * name.
 */
public enum ParameterForm {
    ELEMENTS,
    RANKS,
    LAYERS,
    STAGES,
    PERCENT,
    SIZE,
    TIME,
    RATE,
    FLAG,
    NAME;

    private static final List<ParameterForm> COUNTED = List.of(ELEMENTS, RANKS, LAYERS, STAGES);
    private static final Pattern DIGITS_BEHIND_LETTERS = Pattern.compile("\\d+[a-z]+\\d.*");

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the form of a default. */
    public static ParameterForm of(String written) {
        for (ParameterForm counted : COUNTED) {
            if (written.endsWith(" " + counted.word())) {
                return counted;
            }
        }
        if (written.endsWith("%")) {
            return PERCENT;
        }
        if (written.equals("true") || written.equals("false")) {
            return FLAG;
        }
        if (isName(written)) {
            return NAME;
        }
        if (written.endsWith("/s")) {
            return RATE;
        }
        return written.endsWith("B") ? SIZE : TIME;
    }

    /** Returns whether this is a name: it begins with a letter, or has digits after letters, unlike a quantity, as in 1f1b. */
    private static boolean isName(String written) {
        return !Character.isDigit(written.charAt(0))
                || DIGITS_BEHIND_LETTERS.matcher(written).matches();
    }

    /** Returns the unit word of a count. */
    public String word() {
        return word;
    }

    Object parse(String written) {
        return switch (this) {
            case ELEMENTS, RANKS, LAYERS, STAGES ->
                whole(written.endsWith(word()) ? written.substring(0, written.length() - word().length()) : written);
            case PERCENT -> percent(written);
            case SIZE -> DataSize.parse(written).bytes();
            case TIME -> Picoseconds.parse(written);
            case RATE -> Bandwidth.parse(written).bytesPerSecond();
            case FLAG -> flag(written);
            case NAME -> written;
        };
    }

    private static Long whole(String digits) {
        long value = new BigDecimal(digits.strip()).longValueExact();
        if (value < 0) {
            throw new ArithmeticException("negative");
        }
        return value;
    }

    private static Double percent(String written) {
        if (!written.endsWith("%")) {
            throw new NumberFormatException("no percent sign");
        }
        double share =
                Double.parseDouble(written.substring(0, written.length() - 1).strip()) / 100;
        if (!(share >= 0) || Double.isInfinite(share)) {
            throw new ArithmeticException("negative");
        }
        return share;
    }

    private static Boolean flag(String written) {
        if (!written.equals("true") && !written.equals("false")) {
            throw new NumberFormatException("neither true nor false");
        }
        return Boolean.valueOf(written);
    }
}
