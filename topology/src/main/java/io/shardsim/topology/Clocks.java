package io.shardsim.topology;

import java.util.SplittableRandom;

/**
 * Speeds of GPUs that differ: rank r runs at 1 + spread z, where z is drawn from a normal distribution truncated at {@link #DEVIATIONS_MAX}. A rank's
 * draw does not depend on the cluster size.
 *
 * @param spread standard deviation of speeds, as a share of the mean
 * @param seed seed of the draws
 */
public record Clocks(double spread, long seed) {
    /** All GPUs equally fast. */
    public static final Clocks EVEN = new Clocks(0, 0);

    /** Largest deviation of a clock, in standard deviations. */
    public static final double DEVIATIONS_MAX = 3;

    /** Returns each rank's compute time, relative to that at mean speed. */
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
