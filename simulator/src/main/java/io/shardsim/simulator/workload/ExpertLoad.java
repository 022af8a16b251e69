package io.shardsim.simulator.workload;

import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * How a router spreads tokens over the experts of a layer: evenly, or by shares that are drawn for each layer. All ranks and micro-batches route alike, and no expert has more than one copy of
 * a token. The fullest rank of each layer counts, since dispatch, combine and the next layer wait for it; that links to the other ranks carry less is left out.
 *
 * @param skew exponent of Zipf's law, or concentration of a symmetric Dirichlet distribution
 * @param seed of the draws
 * @param capacity slots of an expert over the tokens of an even share (Megatron-Core's moe-expert-capacity-factor); 0 for as many as come
 * @param pads whether empty slots are sent and computed too (moe-pad-expert-input-to-capacity)
 * @param ranks that share out the experts, neighbours in order
 */
public record ExpertLoad(Law law, double skew, long seed, double capacity, boolean pads, int ranks) {
    public static final ExpertLoad EVEN = new ExpertLoad(Law.EVEN, 0, 0, 0, false, 1);

    /** Shares of experts: the same, 1 / r^S for the one in place r of a drawn order, or drawn, the more even the larger A. */
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

    /** As scenarios write it. */
    public String words() {
        String number = skew == Math.rint(skew) ? String.valueOf((long) skew) : String.valueOf(skew);
        return law.name().toLowerCase(Locale.ROOT) + (isDrawn() ? " " + number : "");
    }

    ExpertLoad among(int others) {
        return new ExpertLoad(law, skew, seed, capacity, pads, others);
    }

    /** The experts of a layer with their load. */
    Experts of(int layer, Experts experts) {
        if (isPlain()) {
            return experts;
        }
        double[] shares = shares(experts, new SplittableRandom(seed ^ (layer + 1L) * 0x9E3779B97F4A7C15L));
        double[] ofRanks = new double[ranks];
        for (int i = 0; i < shares.length; i++) {
            double slots = capacity == 0 ? 1 : capacity / shares.length;
            ofRanks[(int) ((long) i * ranks / shares.length)] += pads ? slots : Math.min(slots, shares[i]);
        }
        double most = ranks * Arrays.stream(ofRanks).max().orElse(0);
        return new Experts(
                experts.number(), experts.perToken(), Arrays.stream(ofRanks).sum(), most);
    }

    /** Shares of one, none above one copy of each token: what is beyond that goes to the other experts as they share the rest. */
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

    /** Marsaglia and Tsang, A simple method for generating gamma variables, ACM Transactions on Mathematical Software 26 (2000), with section 6 below one. */
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
