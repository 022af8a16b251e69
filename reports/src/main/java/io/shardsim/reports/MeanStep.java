package io.shardsim.reports;

/**
 * What a step takes on average where a link is down now and then. Simulated are a step that begins with an outage and one without any; a training takes
 * the latter, and what one outage costs in each period.
 *
 * @param everyPs period of outages [ps]
 * @param withPs the step that begins with an outage [ps]
 * @param withoutPs the same step without outages [ps]
 */
public record MeanStep(long everyPs, long withPs, long withoutPs) {
    /** What one outage costs; a long step has several [ps]. */
    private double costPs() {
        return (withPs - withoutPs) / Math.ceil((double) withPs / everyPs);
    }

    /** The average step [s]. */
    public double seconds() {
        double meanPs = withoutPs / (1 - costPs() / everyPs);
        double sumPs = everyPs / meanPs * withoutPs + costPs();
        if (!(Math.abs(sumPs / everyPs - 1) < 1e-9)) {
            throw new IllegalStateException("steps and an outage take " + sumPs + " ps of " + everyPs + " ps");
        }
        return meanPs * StepBreakdown.SECONDS_PER_PICOSECOND;
    }

    /** For people. */
    public String sentence() {
        return "Outages: one every " + Quantities.seconds(everyPs * StepBreakdown.SECONDS_PER_PICOSECOND) + " costs "
                + Quantities.seconds(costPs() * StepBreakdown.SECONDS_PER_PICOSECOND) + ". The average step takes "
                + Quantities.seconds(seconds())
                + ". It sets samples/s, MFU, days and USD; all other figures are for a step that starts with an "
                + "outage.";
    }
}
