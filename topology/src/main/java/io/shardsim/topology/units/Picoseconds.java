package io.shardsim.topology.units;

/** Virtual time as text. The time itself stays a {@code long}, named {@code ...Ps}. */
public final class Picoseconds {
    public static final long PER_SECOND = 1_000_000_000_000L;

    private Picoseconds() {}

    /**
     * Reads {@code 2 us}, {@code 1.5 ms}.
     *
     * @throws QuantityException when the text is no time, or longer than 2^63 - 1 ps, about 106 days
     */
    public static long parse(String text) {
        return UnitTable.TIME.parseWhole(text);
    }
}
