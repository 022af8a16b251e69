package io.shardsim.topology;

/**
 * Price of a node.
 *
 * @param usdPerHour price of one node [USD per hour]; NaN if unknown
 * @param asOf date of the price, empty if unknown
 * @param source where the price was read
 * @param terms pricing terms, for people
 */
public record PriceSpec(double usdPerHour, String asOf, String source, String terms) {
    /** Creates an on-demand price. */
    public PriceSpec(double usdPerHour, String asOf, String source) {
        this(usdPerHour, asOf, source, "on demand");
    }

    /** Returns a share of this price, on other terms. */
    public PriceSpec on(String other, double share) {
        return new PriceSpec(share * usdPerHour, asOf, source, other);
    }
}
