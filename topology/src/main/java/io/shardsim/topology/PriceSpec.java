package io.shardsim.topology;

/**
 * On-demand price of an instance.
 *
 * @param usdPerHour price [USD per hour]; NaN when the catalog has none
 * @param asOf date of the price list, ISO 8601
 * @param source where the price was read
 */
public record PriceSpec(double usdPerHour, String asOf, String source) {}
