package io.shardsim.topology.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Units of one kind of quantity, and the one parser of quantities.
 *
 * <p>A quantity is a decimal number, optional blanks, and a unit: {@code 1 MiB}, {@code 1.5e3 KiB}, {@code 100 Gbit/s}. Numbers without a unit are
 * refused, as are negative ones. GB is 10^9 bytes, GiB 2^30; units are case-sensitive, since GB and Gb differ by a factor of eight.
 *
 * <p>Leaves out digit grouping and compound quantities such as {@code 1 h 30 min}.
 */
public final class UnitTable {
    /** Maximum length of a quantity; it keeps a hostile file from costing time. */
    private static final int TEXT_LENGTH_MAX = 60;
    /** Exponent beyond every quantity here, and small enough that the exact value stays cheap. */
    private static final int EXPONENT_MAX = 40;

    private static final Pattern QUANTITY =
            Pattern.compile("([+-]?)(\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE]([+-]?\\d{1,9}))?\\s*(\\D+)?");

    /** Bytes. */
    public static final UnitTable DATA_SIZE = new UnitTable("size", "bytes", "1 MiB", """
            B = 1, bytes = 1, byte = 1, KiB = 1024, MiB = 1048576, GiB = 1073741824, TiB = 1099511627776,
            PiB = 1125899906842624, kB = 1e3, KB = 1e3, MB = 1e6, GB = 1e9, TB = 1e12, PB = 1e15""");

    /** Bytes per second. */
    public static final UnitTable RATE = new UnitTable("rate", "bytes/s", "300 GB/s or 100 Gbit/s", """
            B/s = 1, kB/s = 1e3, KB/s = 1e3, MB/s = 1e6, GB/s = 1e9, TB/s = 1e12, KiB/s = 1024,
            MiB/s = 1048576, GiB/s = 1073741824, TiB/s = 1099511627776, bit/s = 0.125, kbit/s = 125,
            Mbit/s = 125e3, Gbit/s = 125e6, Tbit/s = 125e9, kbps = 125, Mbps = 125e3, Gbps = 125e6,
            Tbps = 125e9, Mb/s = 125e3, Gb/s = 125e6, Tb/s = 125e9""");

    /** Picoseconds. */
    public static final UnitTable TIME = new UnitTable("time", "ps", "2 us", """
            ps = 1, ns = 1e3, us = 1e6, \u00b5s = 1e6, \u03bcs = 1e6, ms = 1e9, s = 1e12, min = 60e12,
            h = 3600e12, d = 86400e12""");

    /** Flops per second. */
    public static final UnitTable FLOP_RATE = new UnitTable("flop rate", "flop/s", "312 Tflop/s", """
            Gflop/s = 1e9, Tflop/s = 1e12, Pflop/s = 1e15, GFLOPS = 1e9, TFLOPS = 1e12, PFLOPS = 1e15""");

    /** Hertz. */
    public static final UnitTable FREQUENCY = new UnitTable("frequency", "Hz", "1410 MHz", """
            Hz = 1, kHz = 1e3, MHz = 1e6, GHz = 1e9""");

    /** US dollars per hour. */
    public static final UnitTable PRICE = new UnitTable("price", "USD/h", "32.77 USD/h", "USD/h = 1");

    private final String kind;
    private final String baseUnit;
    private final String example;
    private final Map<String, BigDecimal> factors = new LinkedHashMap<>();

    /** @param units units, each with its value in base units, separated by commas */
    private UnitTable(String kind, String baseUnit, String example, String units) {
        this.kind = kind;
        this.baseUnit = baseUnit;
        this.example = example;
        for (String unit : units.split(",\\s+")) {
            String[] parts = unit.split(" = ");
            factors.put(parts[0], new BigDecimal(parts[1]));
        }
    }

    /** Returns the kind of quantity as messages call it, for example {@code size}. */
    public String kind() {
        return kind;
    }

    /** Returns the unit of the result of {@link #parse}. */
    public String baseUnit() {
        return baseUnit;
    }

    /** Returns one or two quantities as a user would write them. */
    public String example() {
        return example;
    }

    /** Returns the names of the units, common ones first. */
    public Set<String> units() {
        return factors.keySet();
    }

    /**
     * Returns the exact quantity in the base unit.
     *
     * @throws QuantityException if the text is not a quantity of this kind, or is negative
     */
    public BigDecimal parse(String text) {
        String trimmed = text.strip();
        Matcher matcher = QUANTITY.matcher(trimmed);
        if (trimmed.length() > TEXT_LENGTH_MAX || !matcher.matches()) {
            throw new QuantityException(
                    kind + " " + quoted(trimmed) + " is not a number with a unit; write for example " + example);
        }
        String unit = matcher.group(4);
        if (unit == null) {
            throw new QuantityException(kind + " " + trimmed + " has no unit; write for example " + example);
        }
        BigDecimal factor = factors.get(unit.strip());
        if (factor == null) {
            throw new QuantityException(kind + " " + quoted(trimmed) + " has the unknown unit " + quoted(unit.strip())
                    + "; " + remedy(unit.strip()));
        }
        if (matcher.group(1).equals("-")) {
            throw new QuantityException(kind + " " + trimmed + " < 0 " + baseUnit + "; write for example " + example);
        }
        int exponent = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
        if (Math.abs(exponent) > EXPONENT_MAX) {
            throw new QuantityException(kind + " " + trimmed + " has an exponent beyond " + EXPONENT_MAX
                    + "; write for example " + example);
        }
        return new BigDecimal(matcher.group(2)).scaleByPowerOfTen(exponent).multiply(factor);
    }

    /**
     * Returns the quantity in whole base units, rounded half up; only zero itself becomes zero.
     *
     * @throws QuantityException if {@link #parse} would throw, or if the quantity exceeds 2^63 - 1 base units or is between 0 and half of one
     */
    public long parseWhole(String text) {
        BigDecimal exact = parse(text);
        BigDecimal rounded = exact.setScale(0, RoundingMode.HALF_UP);
        if (rounded.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new QuantityException(
                    kind + " " + text.strip() + " > 2^63 - 1 " + baseUnit + "; write for example " + example);
        }
        if (rounded.signum() == 0 && exact.signum() != 0) {
            throw new QuantityException(
                    kind + " " + text.strip() + " < 1 " + baseUnit + "; write for example " + example);
        }
        return rounded.longValueExact();
    }

    /** Returns the unit that differs only by case, or the known ones. */
    private String remedy(String unknown) {
        StringBuilder sameLetters = new StringBuilder();
        for (String unit : factors.keySet()) {
            if (unit.toLowerCase(Locale.ROOT).equals(unknown.toLowerCase(Locale.ROOT))) {
                sameLetters.append(sameLetters.length() == 0 ? "" : " or ").append(unit);
            }
        }
        return sameLetters.length() > 0
                ? "did you mean " + sameLetters + "?"
                : "known units: " + String.join(", ", factors.keySet());
    }

    private static String quoted(String text) {
        String printable = text.length() > TEXT_LENGTH_MAX ? text.substring(0, TEXT_LENGTH_MAX) + "..." : text;
        return "\"" + printable.replaceAll("\\p{Cntrl}", "?") + "\"";
    }
}
