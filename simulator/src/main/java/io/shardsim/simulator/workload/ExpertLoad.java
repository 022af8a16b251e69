package io.shardsim.simulator.workload;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Load of a layer's experts: even, or with shares drawn for each layer. All ranks and micro-batches route alike, and no expert gets more than one
 * copy of a token. The fullest rank of each layer decides, since dispatch, combine and the next layer wait for it; leaves out that links to other
 * ranks carry less.
 *
 * @param skew exponent of Zipf's law, or concentration of a symmetric Dirichlet distribution
 * @param seed seed of the draws
 * @param capacity slots of an expert over the tokens of an even share (Megatron-Core's moe-expert-capacity-factor); 0 for no limit, infinite for as
 *     many as the fullest expert of the layer takes (DeepSpeed's drop_tokens false)
 * @param pads whether empty slots are also sent and computed (moe-pad-expert-input-to-capacity)
 * @param ranks ranks among which the experts are distributed, in order
 */
public record ExpertLoad(Law law, double skew, long seed, double capacity, boolean pads, int ranks) {
    public static final ExpertLoad EVEN = new ExpertLoad(Law.EVEN, 0, 0, 0, false, 1);

    /** Distribution of the shares: equal; 1 / r^S for the expert at place r of a drawn order; or drawn, more evenly for a larger A. */
    public enum Law {
        EVEN,
        ZIPF,
        DIRICHLET
    }

    public boolean isDrawn() {
        return law != Law.EVEN;
    }

    boolean isPlain() {
        return !isDrawn() && capacity == 0;
    }

    /** Returns the load in scenario syntax. */
    public String words() {
        String number = skew == Math.rint(skew) ? String.valueOf((long) skew) : String.valueOf(skew);
        return law.name().toLowerCase(Locale.ROOT) + (isDrawn() ? " " + number : "");
    }

    ExpertLoad among(int others) {
        return new ExpertLoad(law, skew, seed, capacity, pads, others);
    }

    /** Returns the experts of a layer with this load. */
    Experts of(int layer, Experts experts) {
        if (isPlain()) {
            return experts;
        }
        double[] shares = shares(experts, new SplittableRandom(seed ^ (layer + 1L) * 0x9E3779B97F4A7C15L));
        double[] ofRanks = new double[ranks];
        double largest = Arrays.stream(shares).max().orElse(1);
        double slots = capacity == 0 ? 1 : Double.isInfinite(capacity) ? largest : capacity / shares.length;
        for (int i = 0; i < shares.length; i++) {
            ofRanks[(int) ((long) i * ranks / shares.length)] += pads ? slots : Math.min(slots, shares[i]);
        }
        double most = ranks * Arrays.stream(ofRanks).max().orElse(0);
        return new Experts(
                experts.number(), experts.perToken(), Arrays.stream(ofRanks).sum(), most);
    }

    /** Returns shares that sum to 1, each at most one copy of every token; the excess is distributed over the other experts in proportion. */
    private double[] shares(Experts experts, SplittableRandom random) {
        double[] shares = new double[experts.number()];
        for (int i = 0; i < shares.length; i++) {
            int place = random.nextInt(i + 1);
            shares[i] = shares[place];
            shares[place] = law == Law.ZIPF ? StrictMath.pow(i + 1, -skew) : isDrawn() ? gamma(random) : 1;
        }
        double sum = 0;
        for (int round = 0; Math.abs(1 - sum) > 1e-12 && round < 10_000; round++) {
            sum = Arrays.stream(shares).sum();
            for (int i = 0; i < shares.length; i++) {
                shares[i] = Math.min(1.0 / experts.perToken(), shares[i] / sum);
            }
        }
        return shares;
    }

    /**
     * Draws from a gamma distribution (Marsaglia and Tsang, A simple method for generating gamma variables, ACM Transactions on Mathematical Software
     * 26, 2000; section 6 for a shape below one).
     */
    private double gamma(SplittableRandom random) {
        double boost = skew < 1 ? StrictMath.pow(1 - random.nextDouble(), 1 / skew) : 1;
        double d = (skew < 1 ? skew + 1 : skew) - 1.0 / 3;
        while (true) {
            double x = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                    * StrictMath.cos(2 * Math.PI * random.nextDouble());
            double v = StrictMath.pow(1 + x / StrictMath.sqrt(9 * d), 3);
            if (v > 0 && StrictMath.log(1 - random.nextDouble()) < x * x / 2 + d - d * v + d * StrictMath.log(v)) {
                return Math.max(Double.MIN_NORMAL, boost * d * v);
            }
        }
    }
}
