package io.shardsim.scenarios.planning;

import java.util.Comparator;

/**
 * A candidate that fits, with a lower bound of its score.
 *
 * @param tight whether it is known to fit only without fragmentation, and so ranks after all that have headroom
 */
record BoundedCandidate(Candidate candidate, double score, boolean tight) {
    static final Comparator<BoundedCandidate> BEST_FIRST =
            Comparator.comparing(BoundedCandidate::tight).thenComparingDouble(BoundedCandidate::score);

    /** Returns whether its bound beats another candidate's result. */
    boolean mayBeat(Plan.Ranked other, Goal goal) {
        return BEST_FIRST.compare(this, new BoundedCandidate(other.candidate(), goal.score(other), other.isTight()))
                < 0;
    }
}
