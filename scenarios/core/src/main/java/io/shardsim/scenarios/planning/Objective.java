package io.shardsim.scenarios.planning;

/** What makes one candidate better than another. */
public enum Objective {
    /** Least time to train. */
    FASTEST,
    /** Least money to train. */
    CHEAPEST;

    /** Less is better; proportional to the time per token. */
    double score(Candidate candidate, double stepSeconds) {
        double secondsPerToken = stepSeconds / candidate.tokens();
        return this == FASTEST
                ? secondsPerToken
                : secondsPerToken
                        * candidate.nodes()
                        * candidate.point().cluster().instance().price().usdPerHour();
    }
}
