package io.shardsim.scenarios.planning;

import java.util.Comparator;

/**
 * A candidate that fits, and how good it can be at best.
 *
 * @param tight whether it is known to fit only without fragmentation, so that it comes after all that have room
 */
record BoundedCandidate(Candidate candidate, double score, boolean tight) {
    static final Comparator<BoundedCandidate> BEST_FIRST =
            Comparator.comparing(BoundedCandidate::tight).thenComparingDouble(BoundedCandidate::score);

    /** Whether its bound beats what another came to. */
    boolean mayBeat(Plan.Ranked other, Goal goal) {
        return BEST_FIRST.compare(this, new BoundedCandidate(other.candidate(), goal.score(other), other.isTight()))
                < 0;
    }
}
