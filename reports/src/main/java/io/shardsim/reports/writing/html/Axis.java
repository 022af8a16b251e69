package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;

/** Round numbers from zero up to a maximum. */
record Axis(double step, int ticks) {

    /** At most {@code ticksMax} ticks above zero that cover the maximum, 1, 2, 2.5 or 5 times a power of ten apart. */
    static Axis upTo(double max, int ticksMax) {
        double magnitude = 1;
        double target = max > 0 ? max / ticksMax : 1.0 / ticksMax;
        while (magnitude > target) {
            magnitude /= 10;
        }
        while (magnitude * 10 <= target) {
            magnitude *= 10;
        }
        double step = 10 * magnitude;
        for (double factor : new double[] {5, 2.5, 2, 1}) {
            if (factor * magnitude >= target * 0.999999) {
                step = factor * magnitude;
            }
        }
        int ticks = (int) StrictMath.ceil(max / step * 0.999999);
        return new Axis(step, Math.max(1, ticks));
    }

    double max() {
        return step * ticks;
    }

    double value(int tick) {
        return step * tick;
    }

    String label(int tick) {
        return Quantities.number(value(tick), 4);
    }
}
