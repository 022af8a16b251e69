package io.shardsim.simulator.compute;

/**
 * How fast the slowest of many GPUs of one kind computes. At their power limit GPUs of one kind sustain different clocks, by what silicon and cooling
 * they have got, and keep them; ranks that exchange something every layer all go at the pace of the slowest [1].
 *
 * <p>Rates are taken as normally distributed; calibrations stem from nodes of eight GPUs, so that the slowest of eight has the rate that is
 * calibrated, one alone is faster, and the slowest of 512 slower.
 *
 * <p>Leaves out faulty GPUs, which operators replace, and variation from step to step.
 *
 * <p>[1] Sinha et al., Not All GPUs Are Created Equal, SC22, arXiv:2208.11035.
 */
final class SlowestGpu {
    /** Expected largest of 2^i independent standard normal variables. */
    private static final double[] LARGEST = {
        0, 0.5642, 1.0294, 1.4236, 1.7660, 2.0697, 2.3437, 2.5946, 2.8269, 3.0439, 3.2482, 3.4418, 3.6261, 3.8023,
        3.9714
    };

    private static final int CALIBRATED_GPUS = 8;

    private SlowestGpu() {}

    /** Rate of the slowest of so many GPUs, relative to that of the slowest of a node of eight. */
    static double rate(int gpus, double spread) {
        return 1 - spread * (largest(gpus) - largest(CALIBRATED_GPUS));
    }

    /** Straight from each power of two to the next. */
    private static double largest(int count) {
        int exponent = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(count);
        double beyond = (double) count / (1L << exponent) - 1;
        return largestOfPower(exponent) + beyond * (largestOfPower(exponent + 1) - largestOfPower(exponent));
    }

    private static double largestOfPower(int exponent) {
        int last = LARGEST.length - 1;
        return exponent <= last
                ? LARGEST[exponent]
                : LARGEST[last] + (exponent - last) * (LARGEST[last] - LARGEST[last - 1]);
    }
}
