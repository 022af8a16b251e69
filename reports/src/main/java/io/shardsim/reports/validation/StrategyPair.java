package io.shardsim.reports.validation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two strategies that one source measured on the same cluster with the same model and batch: which is the faster, and by how much.
 *
 * <p>The larger error of a speed-up is that of its two figures together, so it is told in points, not as a share of itself.
 *
 * @param faster case of the strategy that was measured to be the faster
 * @param slower case of the other
 * @param metric figure by which they are compared
 * @param measured speed of the faster over the other, less one [1]
 * @param simulated the same as simulated; absent where one of them came to no figure
 */
public record StrategyPair(
        String faster,
        String slower,
        Metric metric,
        double measured,
        @Nullable Double simulated) {

    /** All pairs among some outcomes, in their order; two that were measured to be equally fast are none. */
    public static List<StrategyPair> of(List<CaseOutcome> outcomes) {
        List<StrategyPair> pairs = new ArrayList<>();
        for (int i = 0; i < outcomes.size(); i++) {
            for (int j = i + 1; j < outcomes.size(); j++) {
                CaseOutcome one = outcomes.get(i);
                CaseOutcome other = outcomes.get(j);
                if (comparable(one, other) && one.measured() != other.measured()) {
                    boolean first = speed(one.metric(), one.measured()) > speed(one.metric(), other.measured());
                    pairs.add(first ? pair(one, other) : pair(other, one));
                }
            }
        }
        return pairs;
    }

    private static boolean comparable(CaseOutcome one, CaseOutcome other) {
        CaseOutcome.Contest mine = one.contest();
        CaseOutcome.Contest theirs = other.contest();
        return mine != null
                && theirs != null
                && one.metric() == other.metric()
                && !one.metric().isMemory()
                && !mine.strategy().equals(theirs.strategy())
                && mine.setting().equals(theirs.setting());
    }

    private static StrategyPair pair(CaseOutcome faster, CaseOutcome slower) {
        Metric metric = faster.metric();
        Double one = faster.simulated();
        Double other = slower.simulated();
        return new StrategyPair(
                faster.id(),
                slower.id(),
                metric,
                speed(metric, faster.measured()) / speed(metric, slower.measured()) - 1,
                one == null || other == null ? null : speed(metric, one) / speed(metric, other) - 1);
    }

    private static double speed(Metric metric, double figure) {
        return metric.isTime() ? 1 / figure : figure;
    }

    /** Whether the simulator finds the same one faster. */
    public boolean ranked() {
        return simulated != null && simulated > 0;
    }

    /** Simulated less measured speed-up [1]; absent where nothing was simulated. */
    public @Nullable Double difference() {
        return simulated == null ? null : simulated - measured;
    }
}
