package io.shardsim.reports;

import io.shardsim.topology.units.DataSize;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Formats numbers with a few significant digits and a unit. Uses decimal arithmetic, so that the text is the same on every JDK
 * ({@code Double.toString} changed in JDK 19).
 */
public final class Quantities {
    /** Bytes per GiB. */
    public static final double GIB = 1L << 30;

    private static final String MISSING = "\u2013";

    private Quantities() {}

    /** Rounds to significant digits; plain notation, no trailing zeros after the point. */
    public static String number(double value, int digits) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return MISSING;
        }
        return trimmed(new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_UP)))
                .toPlainString();
    }

    /** Formats a fixed number of decimals, with commas between thousands. */
    public static String fixed(double value, int decimals) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return MISSING;
        }
        String plain =
                new BigDecimal(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
        int point = plain.indexOf('.') < 0 ? plain.length() : plain.indexOf('.');
        StringBuilder grouped = new StringBuilder(plain);
        int first = plain.startsWith("-") ? 1 : 0;
        for (int i = point - 3; i > first; i -= 3) {
            grouped.insert(i, ',');
        }
        return grouped.toString();
    }

    public static String count(long value) {
        return fixed(value, 0);
    }

    /** Formats a count with its noun: "1 GPU", "8 GPUs". */
    public static String counted(int number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    public static String percent(double share) {
        return Math.abs(share) < 0.1 && share != 0 ? fixed(100 * share, 1) + " %" : fixed(100 * share, 0) + " %";
    }

    /** Formats seconds, or a smaller unit below one second, to three digits. */
    public static String seconds(double seconds) {
        return scaled(seconds, new String[] {"s", "ms", "us", "ns"});
    }

    private static String scaled(double value, String[] units) {
        if (value == 0) {
            return "0 " + units[0];
        }
        double scaled = value;
        int unit = 0;
        while (Math.abs(scaled) < 1 && unit < units.length - 1) {
            scaled *= 1000;
            unit++;
        }
        return significant(scaled) + " " + units[unit];
    }

    /** Formats three significant digits below 1000, no decimals above. */
    public static String significant(double value) {
        double magnitude = Math.abs(value);
        if (magnitude >= 99.95) {
            return fixed(value, 0);
        }
        if (magnitude >= 9.995) {
            return fixed(value, 1);
        }
        return fixed(value, 2);
    }

    /** Formats three significant digits, also below one, where figures would otherwise look alike. */
    public static String threeDigits(double value) {
        return Math.abs(value) < 1 ? number(value, 3) : significant(value);
    }

    public static String gib(long bytes) {
        return significant(bytes / GIB) + " GiB";
    }

    /** Formats bytes in decimal units, as for networks. */
    public static String bytes(double bytes) {
        return decimal(bytes, new String[] {"B", "kB", "MB", "GB", "TB", "PB"});
    }

    /** Formats a buffer size in the unit that divides it, as scenarios and nccl-tests do; rounded if that takes more than eight characters. */
    public static String buffer(long bytes) {
        String exact = new DataSize(bytes).toString();
        return exact.length() <= 8 ? exact : bytes(bytes);
    }

    public static String bytesPerSecond(double rate) {
        return bytes(rate) + "/s";
    }

    private static String decimal(double value, String[] units) {
        double scaled = value;
        int unit = 0;
        while (Math.abs(scaled) >= 1000 && unit < units.length - 1) {
            scaled /= 1000;
            unit++;
        }
        return (unit == 0 ? fixed(scaled, 0) : significant(scaled)) + " " + units[unit];
    }

    /** Formats thousands and millions: {@code 1.2 M}. */
    public static String shortCount(double value) {
        return decimal(value, new String[] {"", "k", "M", "G", "T"}).trim();
    }

    /** Formats training tokens in words, to six digits: {@code 500 billion}. */
    public static String tokens(double tokens) {
        return tokens(tokens, new String[] {"", " million", " billion", " trillion"});
    }

    /** Formats training tokens for a column header: {@code 500 B}. */
    public static String shortTokens(double tokens) {
        return tokens(tokens, new String[] {"", " M", " B", " T"});
    }

    private static String tokens(double tokens, String[] units) {
        double scaled = tokens;
        int unit = 0;
        while (scaled >= (unit == 0 ? 1e6 : 1e3) && unit < units.length - 1) {
            scaled /= unit == 0 ? 1e6 : 1e3;
            unit++;
        }
        return number(scaled, 6) + units[unit];
    }

    public static String usd(double usd) {
        return Double.isNaN(usd) ? MISSING : "$" + fixed(usd, 0);
    }

    static BigDecimal trimmed(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }
}
