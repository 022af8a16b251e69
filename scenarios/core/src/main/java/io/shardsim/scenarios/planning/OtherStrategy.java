package io.shardsim.scenarios.planning;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Finds the best candidate of a strategy that has none among the best overall: branch and bound, one candidate at a time. */
final class OtherStrategy {
    private static final double PS_PER_SECOND = 1e12;

    private final String kind;
    private final String title;
    private final Goal goal;
    /** Candidates, best bound first. */
    private final List<BoundedCandidate> candidates;

    private int next;
    private final PriorityQueue<BoundedCandidate> checked = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
    private @Nullable BoundedCandidate running;
    /** The candidate to beat: first the one that makes others uninteresting, then the best of this strategy. */
    private Plan.@Nullable Ranked best;

    private final Plan.@Nullable Ranked unbeaten;
    /** Whether no remaining candidate can be better. */
    private boolean ended;
    /** Whether a candidate was given up that might be better. */
    private boolean doubtful;

    /** Checks candidates by writing their plans. */
    interface Check {
        /** Returns those that fit, with the bounds of their plans. */
        List<BoundedCandidate> check(List<BoundedCandidate> hopes) throws InterruptedException;
    }

    /**
     * @param candidates candidates, best bound first
     * @param unbeaten the best available candidate, if this strategy is not available; else null
     */
    OtherStrategy(
            String kind, String title, Goal goal, List<BoundedCandidate> candidates, Plan.@Nullable Ranked unbeaten) {
        this.kind = kind;
        this.title = title;
        this.goal = goal;
        this.candidates = candidates;
        this.unbeaten = unbeaten;
        best = unbeaten;
    }

    /**
     * Returns the next candidate to run; null if none can beat the best.
     *
     * @param atOnce number of plans to write before the next decision
     */
    @Nullable
    BoundedCandidate next(Check plans, int atOnce) throws InterruptedException {
        while (next < candidates.size() && mayBeBest(candidates.get(next)) && isNext(candidates.get(next))) {
            int end = Math.min(next + atOnce, candidates.size());
            checked.addAll(plans.check(candidates.subList(next, end)));
            next = end;
        }
        BoundedCandidate first = checked.poll();
        running = first != null && mayBeBest(first) ? first : null;
        ended = running == null;
        return running;
    }

    private boolean isNext(BoundedCandidate hope) {
        return checked.isEmpty() || BoundedCandidate.BEST_FIRST.compare(hope, checked.peek()) < 0;
    }

    private boolean mayBeBest(BoundedCandidate hope) {
        return best == null || hope.mayBeat(best, goal);
    }

    /** Returns limits that stop the next run once it cannot beat the best. */
    RunLimits limits(BoundedCandidate hope, long eventsMax) {
        Plan.Ranked beaten = best;
        return new RunLimits(
                eventsMax,
                beaten == null || beaten.isTight()
                        ? null
                        : () -> (long) (goal.equalSeconds(hope.candidate(), beaten) * PS_PER_SECOND));
    }

    /** Records the candidate that ran. */
    void settle(PointRuns runs) {
        if (running == null) {
            return;
        }
        Candidate candidate = running.candidate();
        RunResult run = runs.result(candidate.point());
        if (run == null) {
            RunLimitException givenUp = runs.givenUp(candidate.point());
            doubtful |= givenUp == null || !givenUp.isLate();
            return;
        }
        Plan.Ranked one = new Plan.Ranked(candidate, run, goal.cost(candidate, run.meanStepSeconds()));
        if (best == null || goal.bestFirst().compare(one, best) < 0) {
            best = one;
        }
    }

    /** Ends the search early. */
    void leave() {
        doubtful = true;
    }

    /** Returns whether the search has a result. */
    boolean isKnown() {
        return best != null || ended && !doubtful;
    }

    Plan.Other result() {
        return new Plan.Other(kind, title, unbeaten == null, best == unbeaten ? null : best, ended && !doubtful);
    }
}
