package io.shardsim.reports.validation;

import java.util.List;

/**
 * Whether a published run fit in memory, and whether the simulator agrees.
 *
 * @param ran false if it ran out of memory
 */
public record FitOutcome(CaseOutcome.Published published, boolean ran, Verdict verdict) {
    /** The verdict on the simulator's answer. */
    public enum Verdict {
        RIGHT,
        /** The run ran out of memory, but the simulator accepts it: a user would pay for servers that are too small. */
        FALSE_FIT,
        /** The run fit, but the simulator rejects it. */
        FALSE_REFUSAL
    }

    /** @param fits whether it fits by the simulator */
    public static FitOutcome of(CaseOutcome.Published published, boolean ran, boolean fits) {
        Verdict wrong = fits ? Verdict.FALSE_FIT : Verdict.FALSE_REFUSAL;
        return new FitOutcome(published, ran, fits == ran ? Verdict.RIGHT : wrong);
    }

    /** Returns whether it fits by the simulator. */
    public boolean fits() {
        return ran == isRight();
    }

    public boolean isRight() {
        return verdict == Verdict.RIGHT;
    }

    /**
     * Counts of outcomes.
     *
     * @param falseFits outcomes accepted though they ran out of memory
     * @param falseRefusals outcomes rejected though they ran
     */
    public record Count(int all, int right, int falseFits, int falseRefusals) {
        public double share(int some) {
            return all == 0 ? 0 : (double) some / all;
        }
    }

    /** Counts right and wrong outcomes separately. */
    public static Count count(List<FitOutcome> outcomes) {
        return new Count(
                outcomes.size(),
                count(outcomes, Verdict.RIGHT),
                count(outcomes, Verdict.FALSE_FIT),
                count(outcomes, Verdict.FALSE_REFUSAL));
    }

    private static int count(List<FitOutcome> outcomes, Verdict verdict) {
        return Math.toIntExact(
                outcomes.stream().filter(one -> one.verdict == verdict).count());
    }
}
