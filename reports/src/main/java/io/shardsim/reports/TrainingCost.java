package io.shardsim.reports;

import java.util.List;

/**
 * Time and cost of training on a number of tokens at a constant rate, with all nodes paid by the hour. Ignores checkpoints, failures and idle time.
 *
 * @param tokens training tokens [tokens]
 * @param usd cost; NaN if the catalog has no price
 */
public record TrainingCost(double tokens, double days, double usd) {
    private static final double SECONDS_PER_DAY = 86_400;

    /** The two training lengths in AWS's benchmark table of 2022-10-31. */
    private static final double[] QUOTED_TOKENS = {100e9, 500e9};

    public static TrainingCost of(double tokens, double tokensPerSecond, int nodes, double usdPerNodeHour) {
        double days = tokens / tokensPerSecond / SECONDS_PER_DAY;
        return new TrainingCost(tokens, days, days * 24 * nodes * usdPerNodeHour);
    }

    static List<TrainingCost> quoted(double tokensPerSecond, int nodes, double usdPerNodeHour) {
        return List.of(
                of(QUOTED_TOKENS[0], tokensPerSecond, nodes, usdPerNodeHour),
                of(QUOTED_TOKENS[1], tokensPerSecond, nodes, usdPerNodeHour));
    }

    public boolean hasPrice() {
        return !Double.isNaN(usd);
    }
}
