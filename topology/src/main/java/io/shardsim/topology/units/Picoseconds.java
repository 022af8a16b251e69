package io.shardsim.topology.units;

/** Virtual time as text. The time itself is a {@code long}, named {@code ...Ps}. */
public final class Picoseconds {
    public static final long PER_SECOND = 1_000_000_000_000L;

    /** Latest instant of a run and longest time allowed in a file [ps]: 13 days. The sum of any seven of them fits in a long. */
    public static final long LONGEST = 1L << 60;

    private Picoseconds() {}

    /**
     * Reads {@code 2 us}, {@code 1.5 ms}.
     *
     * @throws QuantityException if the text is not a time, or is longer than 2^63 - 1 ps, about 106 days
     */
    public static long parse(String text) {
        return UnitTable.TIME.parseWhole(text);
    }
}
