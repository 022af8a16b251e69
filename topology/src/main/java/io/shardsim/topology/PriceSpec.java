package io.shardsim.topology;

/**
 * What one node costs.
 *
 * @param usdPerHour price of one node [USD per hour]; NaN where none is known
 * @param asOf date of the price, empty where none is known
 * @param source where the price was read
 * @param terms on which it is paid, as people say it
 */
public record PriceSpec(double usdPerHour, String asOf, String source, String terms) {
    /** A price on demand. */
    public PriceSpec(double usdPerHour, String asOf, String source) {
        this(usdPerHour, asOf, source, "on demand");
    }

    /** A share of it, on other terms. */
    public PriceSpec on(String other, double share) {
        return new PriceSpec(share * usdPerHour, asOf, source, other);
    }
}
