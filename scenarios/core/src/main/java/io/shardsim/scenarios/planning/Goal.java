package io.shardsim.scenarios.planning;

import io.shardsim.reports.TrainingCost;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What is wanted.
 *
 * @param tokens to train on [tokens]
 * @param daysMax longest time to train; infinite for any [days]
 * @param usdMax most money to train; infinite for any [USD]
 * @param tight whether what fits only without fragmentation will do
 */
public record Goal(Objective objective, double tokens, double daysMax, double usdMax, boolean tight) {

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
        return objective.score(one.candidate(), one.run().meanStepSeconds());
    }

    /** The step with which a candidate is as good as another that ran [s]. */
    double equalSeconds(Candidate candidate, Plan.Ranked other) {
        return score(other) / objective.score(candidate, 1);
    }

    /** The worst score that may still stand in for the fastest or cheapest of all: a plainer candidate within 1 % comes first. */
    double nearBest(Plan.Ranked best) {
        return score(best) * (best.candidate().extras() == 0 ? 1 : 1.01);
    }

    /** Of those within 1 % of the best, the one with the fewest extras is recommended. */
    void plainFirst(List<Plan.Ranked> ranked) {
        ranked.stream()
                .filter(one -> one.isTight() == ranked.get(0).isTight() && score(one) <= nearBest(ranked.get(0)))
                .min(Comparator.comparingLong(one -> one.candidate().extras()))
                .ifPresent(one -> Collections.rotate(ranked.subList(0, ranked.indexOf(one) + 1), 1));
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
