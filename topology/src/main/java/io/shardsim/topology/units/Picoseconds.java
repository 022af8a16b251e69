package io.shardsim.topology.units;

import java.math.BigDecimal;
import java.math.MathContext;

/** Virtual time as text. The time itself stays a {@code long}, named {@code ...Ps}. */
public final class Picoseconds {
    public static final long PER_SECOND = 1_000_000_000_000L;

    private static final String[] UNITS = {"s", "ms", "us", "ns", "ps"};

    private Picoseconds() {}

    /**
     * Reads {@code 2 us}, {@code 1.5 ms}.
     *
     * @throws QuantityException when the text is no time, or longer than 2^63 - 1 ps, about 106 days
     */
    public static long parse(String text) {
        return UnitTable.TIME.parseWhole(text);
    }

    /** The exact time, in the largest unit that divides it; {@link #parse} reads back what is not negative. */
    public static String format(long timePs) {
        long unit = PER_SECOND;
        for (String name : UNITS) {
            if (timePs % unit == 0 && timePs != 0) {
                return timePs / unit + " " + name;
            }
            unit /= 1000;
        }
        return timePs + " ps";
    }

    /** Four significant digits in the largest unit that leaves at least 1, for people: {@code 20.89 s}. */
    public static String approximate(long timePs) {
        long unit = PER_SECOND;
        for (String name : UNITS) {
            if (timePs >= unit || timePs <= -unit) {
                BigDecimal value = BigDecimal.valueOf(timePs).divide(BigDecimal.valueOf(unit), new MathContext(4));
                return value.stripTrailingZeros().toPlainString() + " " + name;
            }
            unit /= 1000;
        }
        return "0 ps";
    }
}
