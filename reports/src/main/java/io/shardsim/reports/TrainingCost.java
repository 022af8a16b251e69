package io.shardsim.reports;

import java.util.Arrays;
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

    /** One epoch and 90 epochs of ImageNet-1k's 1,281,167 images, as He et al. (arXiv:1512.03385) and MLPerf train: for samples of one token. */
    private static final double[] QUOTED_IMAGES = {1_281_167, 90 * 1_281_167};

    public static TrainingCost of(double tokens, double tokensPerSecond, int nodes, double usdPerNodeHour) {
        double days = tokens / tokensPerSecond / SECONDS_PER_DAY;
        return new TrainingCost(tokens, days, days * 24 * nodes * usdPerNodeHour);
    }

    /** @param tokensPerSample 1 if samples are images of a convolutional network */
    static List<TrainingCost> quoted(int tokensPerSample, double tokensPerSecond, int nodes, double usdPerNodeHour) {
        return Arrays.stream(tokensPerSample == 1 ? QUOTED_IMAGES : QUOTED_TOKENS)
                .mapToObj(tokens -> of(tokens, tokensPerSecond, nodes, usdPerNodeHour))
                .toList();
    }

    public boolean hasPrice() {
        return !Double.isNaN(usd);
    }
}
