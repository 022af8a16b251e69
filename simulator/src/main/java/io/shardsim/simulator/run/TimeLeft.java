package io.shardsim.simulator.run;

import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;

/**
 * Minimum time left of any run of a plan when it reaches a mark.
 *
 * <p>It is the longest chain from the operation that begins at the mark on the ranks of the first stage to the end of the plan, with the minimum
 * times of {@link StepBound}. No run beats it: operations that follow that one on its stream, wait for it, or synchronize with such operations have
 * not started either.
 */
final class TimeLeft {
    private static final int STREAMS = Stream.values().length;
    private final StepPlan plan;
    private final LeastTimes least;
    /** Minimum time from the end of an operation, by stage and operation, to the end of the plan; from its start, once visited [ps]. */
    private final long[][] leftPs;

    private TimeLeft(SimulationSetup setup) {
        plan = setup.plan();
        least = new LeastTimes(setup);
        leftPs = new long[plan.stages()][plan.size()];
    }

    /** Returns the minimum time left at each mark of the setup's plan [ps]. */
    static long[] ps(SimulationSetup setup) {
        return new TimeLeft(setup).atMarks();
    }

    private long[] atMarks() {
        long[][] behindPs = new long[plan.stages()][STREAMS];
        long[] atMarkPs = new long[plan.marks().size()];
        int mark = atMarkPs.length - 1;
        while (mark >= 0 && plan.marks().get(mark).beforeOperation() == plan.size()) {
            mark--;
        }
        for (int operation = plan.size() - 1; operation >= 0; operation--) {
            look(operation, behindPs);
            for (; mark >= 0 && plan.marks().get(mark).beforeOperation() == operation; mark--) {
                atMarkPs[mark] = behindPs[0][Stream.COMPUTE.ordinal()];
            }
        }
        return atMarkPs;
    }

    /** @param behindPs time left of the operation visited last, by stage and stream [ps] */
    private void look(int operation, long[][] behindPs) {
        int stream = plan.operation(operation).stream().ordinal();
        LeastTimes.Carried carried = least.of(plan.operation(operation));
        long longestPs = 0;
        for (int stage = 0; stage < plan.stages(); stage++) {
            if (plan.runsOn(operation, stage)) {
                leftPs[stage][operation] = carried.ps() + Math.max(leftPs[stage][operation], behindPs[stage][stream]);
                longestPs = Math.max(longestPs, leftPs[stage][operation]);
            }
        }
        for (int stage = 0; stage < plan.stages(); stage++) {
            if (plan.runsOn(operation, stage)) {
                long fromBeginPs = carried.joinsStages() ? longestPs : leftPs[stage][operation];
                leftPs[stage][operation] = fromBeginPs;
                behindPs[stage][stream] = fromBeginPs;
                for (int wait : plan.waitsFor(operation)) {
                    leftPs[stage][wait] = Math.max(leftPs[stage][wait], fromBeginPs);
                }
            }
        }
    }
}
