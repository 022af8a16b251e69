package io.shardsim.topology;

import java.util.SplittableRandom;

/**
 * Speeds of GPUs that are not all alike: rank r has the speed 1 + spread z, with z drawn for it from a normal distribution, {@link #DEVIATIONS_MAX} at most either
 * way. Ranks have the same draws in clusters of all sizes.
 *
 * @param spread standard deviation of speeds, as a share of the mean
 * @param seed of the draws
 */
public record Clocks(double spread, long seed) {
    /** All alike. */
    public static final Clocks EVEN = new Clocks(0, 0);

    /** No clock is further off, in standard deviations. */
    public static final double DEVIATIONS_MAX = 3;

    /** Time of work on each rank over that at mean speed. */
    public double[] durations(int ranks) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] durations = new double[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            durations[rank] = 1 / (1 + spread * normal(random));
        }
        return durations;
    }

    /** Box and Muller, A note on the generation of random normal deviates, Annals of Mathematical Statistics 29 (1958). */
    private static double normal(SplittableRandom random) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        double z = radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
        return Math.max(-DEVIATIONS_MAX, Math.min(DEVIATIONS_MAX, z));
    }
}
