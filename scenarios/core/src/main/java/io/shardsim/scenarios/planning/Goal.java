package io.shardsim.scenarios.planning;

import io.shardsim.reports.TrainingCost;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The goal of a plan.
 *
 * @param tokens training tokens [tokens]
 * @param daysMax maximum training time; infinite for any [days]
 * @param usdMax maximum training cost; infinite for any [USD]
 * @param tight whether to accept candidates that fit only without fragmentation
 */
public record Goal(Objective objective, double tokens, double daysMax, double usdMax, boolean tight) {

    /** Returns the training cost for a step time. */
    TrainingCost cost(Candidate candidate, double stepSeconds) {
        return TrainingCost.of(
                tokens,
                candidate.tokens() / stepSeconds,
                candidate.nodes(),
                candidate.point().cluster().instance().price().usdPerHour());
    }

    /** Returns the score of a candidate that ran; lower is better. */
    double score(Plan.Ranked one) {
        return objective.score(one.candidate(), one.run().meanStepSeconds());
    }

    /** Returns the step time at which a candidate equals another one that ran [s]. */
    double equalSeconds(Candidate candidate, Plan.Ranked other) {
        return score(other) / objective.score(candidate, 1);
    }

    /** Returns the worst score accepted as fastest or cheapest: a plainer candidate within 1 % comes first. */
    double nearBest(Plan.Ranked best) {
        return score(best) * (best.candidate().extras() == 0 ? 1 : 1.01);
    }

    /** Moves the candidate with the fewest extras within 1 % of the best to the front. */
    void plainFirst(List<Plan.Ranked> ranked) {
        ranked.stream()
                .filter(one -> one.isTight() == ranked.get(0).isTight() && score(one) <= nearBest(ranked.get(0)))
                .min(Comparator.comparingLong(one -> one.candidate().extras()))
                .ifPresent(one -> Collections.rotate(ranked.subList(0, ranked.indexOf(one) + 1), 1));
    }

    /** Orders candidates that fit with headroom before those that fit only without fragmentation, then by score. */
    Comparator<Plan.Ranked> bestFirst() {
        return Comparator.comparing(Plan.Ranked::isTight).thenComparingDouble(this::score);
    }

    /** Returns whether it is about money, which rules out candidates without a price. */
    boolean asksForMoney() {
        return objective == Objective.CHEAPEST || usdMax < Double.POSITIVE_INFINITY;
    }

    /** Returns whether a candidate meets the limits at a step time. An unknown cost meets none. */
    boolean allows(Candidate candidate, double stepSeconds) {
        TrainingCost cost = cost(candidate, stepSeconds);
        return cost.days() <= daysMax && (!asksForMoney() || cost.usd() <= usdMax);
    }
}
