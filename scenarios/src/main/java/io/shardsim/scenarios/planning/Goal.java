package io.shardsim.scenarios.planning;

import io.shardsim.reports.TrainingCost;
import java.util.Comparator;

/**
 * What is wanted.
 *
 * @param tokens to train on [tokens]
 * @param daysMax longest time to train; infinite for any [days]
 * @param usdMax most money to train; infinite for any [USD]
 */
public record Goal(Objective objective, double tokens, double daysMax, double usdMax) {

    /** What training costs at a time per step. */
    TrainingCost cost(Candidate candidate, double stepSeconds) {
        return TrainingCost.of(
                tokens,
                candidate.tokens() / stepSeconds,
                candidate.nodes(),
                candidate.point().cluster().instance().price().usdPerHour());
    }

    /** How good a candidate was that ran; less is better. */
    double score(Plan.Ranked one) {
        return objective.score(one.candidate(), one.run().step().stepSeconds());
    }

    /** The step with which a candidate is as good as another that ran [s]. */
    double equalSeconds(Candidate candidate, Plan.Ranked other) {
        return score(other) / objective.score(candidate, 1);
    }

    /** What has room before what fits only without fragmentation, and the better before the worse. */
    Comparator<Plan.Ranked> bestFirst() {
        return Comparator.comparing(Plan.Ranked::isTight).thenComparingDouble(this::score);
    }

    /** Whether it is about money, so that candidates without a price are of no use. */
    boolean asksForMoney() {
        return objective == Objective.CHEAPEST || usdMax < Double.POSITIVE_INFINITY;
    }

    /** Whether a candidate keeps the limits at a time per step. A cost that is not known keeps none. */
    boolean allows(Candidate candidate, double stepSeconds) {
        TrainingCost cost = cost(candidate, stepSeconds);
        return cost.days() <= daysMax && (!asksForMoney() || cost.usd() <= usdMax);
    }
}
