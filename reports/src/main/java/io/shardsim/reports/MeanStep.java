package io.shardsim.reports;

import static io.shardsim.reports.StepBreakdown.SECONDS_PER_PICOSECOND;

/**
 * What a step takes on average where a link is down now and then. Simulated are a step that begins with an outage and one without any; a training takes
 * the latter, and what one outage costs in each period.
 *
 * @param everyPs period of outages [ps]
 * @param withPs the step that begins with an outage [ps]
 * @param withoutPs the same step without outages [ps]
 */
public record MeanStep(long everyPs, long withPs, long withoutPs) {
    public MeanStep(long everyPs, long withPs, long withoutPs) {
        this.everyPs = everyPs;
        this.withPs = withPs;
        this.withoutPs = withoutPs;
        double sum = everySeconds() / seconds() * withoutPs * SECONDS_PER_PICOSECOND + costSeconds();
        if (!(Math.abs(sum / everySeconds() - 1) < 1e-9)) {
            throw new IllegalStateException("steps and an outage take " + sum + " s of " + everySeconds() + " s");
        }
    }

    private double everySeconds() {
        return everyPs * SECONDS_PER_PICOSECOND;
    }

    /** What one outage costs; a long step has several [s]. */
    public double costSeconds() {
        return (withPs - withoutPs) * SECONDS_PER_PICOSECOND / Math.ceil((double) withPs / everyPs);
    }

    /** The average step [s]. */
    public double seconds() {
        return withoutPs * SECONDS_PER_PICOSECOND / (1 - costSeconds() / everySeconds());
    }

    /** For people. */
    public String sentence() {
        return "Outages: one every " + Quantities.seconds(everySeconds()) + " costs "
                + Quantities.seconds(costSeconds()) + ". The average step takes " + Quantities.seconds(seconds())
                + ". It sets samples/s, MFU, days and USD; all else is of a step that begins with an outage.";
    }
}
