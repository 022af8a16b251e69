package io.shardsim.scenarios.planning;

/** The measure by which candidates are compared. */
public enum Objective {
    /** Shortest training time. */
    FASTEST,
    /** Lowest training cost. */
    CHEAPEST;

    /** Returns a score, lower is better; proportional to the time per token. */
    double score(Candidate candidate, double stepSeconds) {
        double secondsPerToken = stepSeconds / candidate.tokens();
        return this == FASTEST
                ? secondsPerToken
                : secondsPerToken
                        * candidate.nodes()
                        * candidate.point().cluster().instance().price().usdPerHour();
    }
}
