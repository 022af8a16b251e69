package io.shardsim.scenarios.planning;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.TrainingCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ranks the candidates that have run so far, including running waves, and tells what it takes to be among the best. Thread-safe.
 *
 * <p>A candidate is compared with its own wave and earlier ones, so that the ranking after each wave does not depend on timing.
 */
final class Standing {
    private static final double PS_PER_SECOND = 1e12;

    /** Margin over rounding errors between a score and a time. */
    private static final double ROUNDING = 1e-9;

    private final Goal goal;

    /** State: guarded by this. */
    private final List<Entry> entries = new ArrayList<>();

    private record Entry(int wave, Plan.Ranked ranked) {}

    Standing(Goal goal) {
        this.goal = goal;
    }

    /** Adds a candidate's run. */
    void add(int wave, Candidate candidate, RunResult run) {
        if (run.training() == null || !goal.allows(candidate, run.meanStepSeconds())) {
            return;
        }
        Plan.Ranked ranked = new Plan.Ranked(candidate, run, goal.cost(candidate, run.meanStepSeconds()));
        synchronized (this) {
            entries.add(new Entry(wave, ranked));
            entries.sort(Comparator.comparing(Entry::ranked, goal.bestFirst()));
        }
    }

    /**
     * Returns the latest end of a step with which a candidate may be among the best, or on the Pareto front of days and dollars. Decreases as others
     * finish [ps].
     */
    synchronized long endMaxPs(int wave, Candidate candidate) {
        List<Plan.Ranked> best = new ArrayList<>();
        Set<String> kinds = new HashSet<>();
        double undominated = Double.POSITIVE_INFINITY;
        for (Entry entry : entries) {
            if (entry.wave() <= wave) {
                undominated = Math.min(undominated, undominatedSeconds(candidate, entry.ranked()));
                if (entry.ranked().isNew(kinds)) {
                    best.add(entry.ranked());
                }
            }
        }
        if (best.size() < Plan.BEST || best.get(Plan.BEST - 1).isTight()) {
            return Long.MAX_VALUE;
        }
        double seconds = Math.max(
                goal.equalSeconds(candidate, best.get(Plan.BEST - 1)),
                goal.nearBest(best.get(0)) / goal.objective().score(candidate, 1));
        return (long) (Math.max(seconds, undominated) * (1 + ROUNDING) * PS_PER_SECOND);
    }

    /** Returns the longest step of a candidate that costs no more days or no more dollars than another; 0 if its dollars are unknown [s]. */
    private double undominatedSeconds(Candidate candidate, Plan.Ranked other) {
        TrainingCost second = goal.cost(candidate, 1);
        if (!second.hasPrice()) {
            return 0;
        }
        return other.cost().hasPrice()
                ? Math.max(other.cost().days() / second.days(), other.cost().usd() / second.usd())
                : Double.POSITIVE_INFINITY;
    }
}
