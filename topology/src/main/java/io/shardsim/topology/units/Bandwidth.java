package io.shardsim.topology.units;

/**
 * Data rate, and the one place where bytes become time.
 *
 * <p>A transfer of b bytes takes ceil(b x 10^12 / rate) picoseconds: one division per transfer, rounded up, so that splitting a transfer never makes
 * it faster. Picoseconds per byte are never stored: truncated to an integer, 900 GB/s would run 11 % fast.
 *
 * @param bytesPerSecond rate [bytes/s], at least 1
 */
public record Bandwidth(long bytesPerSecond) implements Comparable<Bandwidth> {
    /** Rate that no transfer waits for: beyond 100 PB/s. */
    public static final Bandwidth UNLIMITED = new Bandwidth(100_000_000_000_000_000L);

    private static final long PS_PER_SECOND = 1_000_000_000_000L;
    /** Largest byte count whose product with {@link #PS_PER_SECOND} fits in a long. */
    private static final long DIRECT_BYTES_MAX = Long.MAX_VALUE / PS_PER_SECOND;

    public Bandwidth {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("bandwidth " + bytesPerSecond + " bytes/s < 1 byte/s");
        }
    }

    /**
     * Reads {@code 300 GB/s}, {@code 100 Gbit/s}.
     *
     * @throws QuantityException if the text is not a rate, or is less than 1 byte/s
     */
    public static Bandwidth parse(String text) {
        long bytesPerSecond = UnitTable.RATE.parseWhole(text);
        if (bytesPerSecond < 1) {
            throw new QuantityException(
                    "rate " + text.strip() + " < 1 byte/s; write for example " + UnitTable.RATE.example());
        }
        return new Bandwidth(bytesPerSecond);
    }

    /**
     * Returns how long a transfer holds the transmitter [ps].
     *
     * @throws ArithmeticException if the time exceeds 2^63 - 1 ps, about 106 days
     */
    public long serializationPs(long bytes) {
        if (bytes <= DIRECT_BYTES_MAX) {
            long product = bytes * PS_PER_SECOND;
            long quotient = product / bytesPerSecond;
            return quotient * bytesPerSecond == product ? quotient : quotient + 1;
        }
        return wideSerializationPs(bytes);
    }

    /** Computes the quotient if the product needs 128 bits: whole seconds first, then digits of the remainder. */
    private long wideSerializationPs(long bytes) {
        long time = bytes / bytesPerSecond;
        long remainder = bytes % bytesPerSecond;
        for (int digit = 0; digit < 12; digit++) {
            long scaled = Math.multiplyExact(remainder, 10L);
            time = Math.addExact(Math.multiplyExact(time, 10L), scaled / bytesPerSecond);
            remainder = scaled % bytesPerSecond;
        }
        return remainder == 0 ? time : Math.addExact(time, 1L);
    }

    /** Returns this rate times a ratio, rounded down, at least 1 byte/s. */
    public Bandwidth scaled(double ratio) {
        return new Bandwidth(Math.max(1L, (long) (bytesPerSecond * ratio)));
    }

    /** Returns the total rate of several such links, at most {@link #UNLIMITED}. */
    public Bandwidth times(int factor) {
        return bytesPerSecond > UNLIMITED.bytesPerSecond / factor ? UNLIMITED : new Bandwidth(bytesPerSecond * factor);
    }

    /** Prints the exact rate in the largest decimal unit that divides it; {@link #parse} reads it back. */
    @Override
    public String toString() {
        if (bytesPerSecond % 1_000_000_000L == 0) {
            return bytesPerSecond / 1_000_000_000L + " GB/s";
        }
        return bytesPerSecond % 1_000_000L == 0 ? bytesPerSecond / 1_000_000L + " MB/s" : bytesPerSecond + " B/s";
    }

    @Override
    public int compareTo(Bandwidth other) {
        return Long.compare(bytesPerSecond, other.bytesPerSecond);
    }
}
