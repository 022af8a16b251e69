package io.shardsim.simulator.compute;

/**
 * Pace of the slowest of many GPUs of one kind.
 *
 * <p>At their power limit GPUs of one kind sustain different clocks, depending on silicon and cooling, and keep them; ranks that communicate every
 * layer all run at the pace of the slowest [1]. Rates are assumed to be normally distributed. Calibrations come from nodes of eight GPUs, so the
 * slowest of eight has the calibrated rate, a single one is faster, and the slowest of 512 slower.
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

    /** Returns the rate of the slowest of several GPUs, relative to the slowest of eight. */
    static double rate(int gpus, double spread) {
        return 1 - spread * (largest(gpus) - largest(CALIBRATED_GPUS));
    }

    /** Interpolates linearly between powers of two. */
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
