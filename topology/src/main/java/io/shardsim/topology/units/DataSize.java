package io.shardsim.topology.units;

/**
 * Number of bytes.
 *
 * @param bytes at least 0 [bytes]
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
    private static final String[] BINARY = {"PiB", "TiB", "GiB", "MiB", "KiB"};
    private static final String[] DECIMAL = {"PB", "TB", "GB", "MB", "kB"};

    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("size " + bytes + " bytes < 0 bytes");
        }
    }

    /**
     * Reads {@code 25 MiB}, {@code 1.5e3 KiB}.
     *
     * @throws QuantityException if the text is not a size
     */
    public static DataSize parse(String text) {
        return new DataSize(UnitTable.DATA_SIZE.parseWhole(text));
    }

    /** Prints the exact size in the largest unit that divides it; {@link #parse} reads it back. */
    @Override
    public String toString() {
        long binary = 1L << 50;
        for (String name : BINARY) {
            if (bytes >= binary && bytes % binary == 0) {
                return bytes / binary + " " + name;
            }
            binary >>= 10;
        }
        long decimal = 1_000_000_000_000_000L;
        for (String name : DECIMAL) {
            if (bytes >= decimal && bytes % decimal == 0) {
                return bytes / decimal + " " + name;
            }
            decimal /= 1000;
        }
        return bytes + " B";
    }

    @Override
    public int compareTo(DataSize other) {
        return Long.compare(bytes, other.bytes);
    }
}
