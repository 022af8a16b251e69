package io.shardsim.scenarios.planning;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The search for the best of a strategy that has none among the best of all: branch and bound, one candidate at a time. */
final class OtherStrategy {
    private static final double PS_PER_SECOND = 1e12;

    private final String kind;
    private final String title;
    private final Goal goal;
    /** The best bound first. */
    private final List<BoundedCandidate> candidates;

    private int next;
    private final PriorityQueue<BoundedCandidate> checked = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
    private @Nullable BoundedCandidate running;
    /** What the next is to beat: what is of no interest unless it is beaten, then the best of these. */
    private Plan.@Nullable Ranked best;

    private final Plan.@Nullable Ranked unbeaten;
    /** Whether nothing is left that may be better. */
    private boolean ended;
    /** Whether one was given up that may be better. */
    private boolean doubtful;

    /** Writes plans. */
    interface Check {
        /** Those that fit, with the bound of their plan. */
        List<BoundedCandidate> check(List<BoundedCandidate> hopes) throws InterruptedException;
    }

    /**
     * @param candidates the best bound first
     * @param unbeaten the best of what is available, for a strategy that is not; else null
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
     * The candidate to be run next; null where none may be better than the best.
     *
     * @param atOnce plans to write before the next decision
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

    /** How far the next is run: until it cannot be better than the best. */
    RunLimits limits(BoundedCandidate hope, long eventsMax) {
        Plan.Ranked beaten = best;
        return new RunLimits(
                eventsMax,
                beaten == null || beaten.isTight()
                        ? null
                        : () -> (long) (goal.equalSeconds(hope.candidate(), beaten) * PS_PER_SECOND));
    }

    /** What became of the one that ran. */
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

    /** The search ends before its time. */
    void leave() {
        doubtful = true;
    }

    /** Whether the search has come to something. */
    boolean isKnown() {
        return best != null || ended && !doubtful;
    }

    Plan.Other result() {
        return new Plan.Other(kind, title, unbeaten == null, best == unbeaten ? null : best, ended && !doubtful);
    }
}
