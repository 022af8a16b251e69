package io.shardsim.reports;

/**
 * The average step of a training with occasional link outages. Two steps are simulated, one that begins with an outage and one without; a training
 * takes the latter, plus the cost of one outage per period.
 *
 * @param everyPs period of outages [ps]
 * @param withPs the step that begins with an outage [ps]
 * @param withoutPs the same step without outages [ps]
 */
public record MeanStep(long everyPs, long withPs, long withoutPs) {
    /** Returns the cost of one outage; a long step has several [ps]. */
    private double costPs() {
        return (withPs - withoutPs) / Math.ceil((double) withPs / everyPs);
    }

    /** Returns the average step time [s]. */
    public double seconds() {
        double meanPs = withoutPs / (1 - costPs() / everyPs);
        double sumPs = everyPs / meanPs * withoutPs + costPs();
        if (!(Math.abs(sumPs / everyPs - 1) < 1e-9)) {
            throw new IllegalStateException("steps and an outage take " + sumPs + " ps of " + everyPs + " ps");
        }
        return meanPs * StepBreakdown.SECONDS_PER_PICOSECOND;
    }

    /** Describes the average step. */
    public String sentence() {
        return "Outages: one every " + Quantities.seconds(everyPs * StepBreakdown.SECONDS_PER_PICOSECOND) + " costs "
                + Quantities.seconds(costPs() * StepBreakdown.SECONDS_PER_PICOSECOND) + ". The average step takes "
                + Quantities.seconds(seconds())
                + ". It sets samples/s, MFU, days and USD; all other figures are for a step that starts with an "
                + "outage.";
    }
}
