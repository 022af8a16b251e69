package io.shardsim.reports;

import io.shardsim.reports.RunFacts.Recomputation;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Achieved FLOPs relative to the GPUs' peak. Published figures differ by a third between conventions, so each of ours names its own.
 *
 * <ul>
 * <li>{@code mfu}: model FLOPs, 6 N per token plus attention; excludes recomputation [1] and experts that a token does not use, and counts a head by
 * the share of tokens that it predicts.
 * <li>{@code hfu}: hardware FLOPs, including recomputation: 8 N plus 4/3 of attention with full activation checkpointing, 6 N plus 4/3 of attention
 * with selective, equal to mfu without; in between with partial recomputation.
 * <li>{@code modelTeraflopsPerGpu}: mfu times the peak, shown next to it.
 * <li>{@code teraflopsPerGpu}: 8 N per token with full checkpointing, 6 N without recomputed GEMMs, without an attention term; the convention of [2],
 * for documents and comparison with that benchmark.
 * </ul>
 *
 * <p>A frozen parameter counts 4 instead of 6, since it needs no wgrad.
 *
 * <p>[1] Chowdhery et al., PaLM, arXiv:2204.02311, appendix B. [2] AWS Machine Learning Blog, 2022-10-31, sharded data parallelism on SageMaker: 8 x
 * 29.96e9 parameters x 588.2 tokens/s = 141 TFLOPS.
 *
 * @param mfu model flops per second over peak, 0 to 1
 * @param hfu hardware flops per second over peak, 0 to 1
 * @param modelTeraflopsPerGpu mfu times the peak [10^12 flop/s]
 * @param teraflopsPerGpu [10^12 flop/s]
 * @param convention what teraflopsPerGpu counts
 */
public record ModelFlopsUtilization(
        double mfu, double hfu, double modelTeraflopsPerGpu, double teraflopsPerGpu, String convention) {

    public static ModelFlopsUtilization of(
            double tokensPerSecondPerGpu,
            double countedParameters,
            double trainedParameters,
            double attentionFlopsPerToken,
            Recomputation recomputation,
            double peakFlopsPerSecond) {
        double n = countedParameters;
        double ofModel = 4 + 2 * (trainedParameters / n);
        double modelFlops = ofModel * n + attentionFlopsPerToken;
        double perParameter = ofModel + 2 * recomputation.products();
        double hardwareFlops = perParameter * n + (1 + recomputation.attention() / 3) * attentionFlopsPerToken;
        return new ModelFlopsUtilization(
                tokensPerSecondPerGpu * modelFlops / peakFlopsPerSecond,
                tokensPerSecondPerGpu * hardwareFlops / peakFlopsPerSecond,
                tokensPerSecondPerGpu * modelFlops * 1e-12,
                tokensPerSecondPerGpu * perParameter * n * 1e-12,
                recomputation.products() > 0
                        ? "hardware flops: " + rounded(perParameter)
                                + " x parameters per token, recomputation counted, attention not counted"
                        : "model flops: " + rounded(perParameter) + " x parameters per token, attention not counted");
    }

    private static String rounded(double perParameter) {
        return BigDecimal.valueOf(perParameter)
                .setScale(2, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    /**
     * Returns attention FLOPs per token of all layers, forward and backward: 12 L h s, with h the total width of the heads. Scores and values take 2
     * s h multiply-adds each in forward, and twice that in backward; a causal mask is not deducted, as in the published conventions.
     */
    public static double attentionFlopsPerToken(int layers, int headsWidth, int sequenceLength) {
        return 12.0 * layers * headsWidth * sequenceLength;
    }
}
