package io.shardsim.reports.validation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two strategies that one source measured on the same cluster with the same model and batch: which is faster, and by how much.
 *
 * <p>The error of a speedup combines the errors of both figures, so it is given in points, not relative to the speedup.
 *
 * @param faster case of the strategy measured to be faster
 * @param slower case of the other strategy
 * @param metric figure that is compared
 * @param measured measured speed ratio, minus one [1]
 * @param simulated simulated speed ratio, minus one; absent if one of them has no figure
 */
public record StrategyPair(
        String faster,
        String slower,
        Metric metric,
        double measured,
        @Nullable Double simulated) {

    /** Returns all pairs of some outcomes, in order; excludes pairs measured to be equally fast. */
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

    /** Returns whether the simulator agrees on which is faster. */
    public boolean ranked() {
        return simulated != null && simulated > 0;
    }

    /** Returns simulated minus measured speedup [1]; absent if nothing was simulated. */
    public @Nullable Double difference() {
        return simulated == null ? null : simulated - measured;
    }
}
