package io.shardsim.reports.validation;

import java.util.List;

/**
 * Whether a published run had room in memory, and whether the simulator says so.
 *
 * @param ran false where it ran out of memory
 */
public record FitOutcome(CaseOutcome.Published published, boolean ran, Verdict verdict) {
    /** What the simulator's answer is worth. */
    public enum Verdict {
        RIGHT,
        /** It ran out of memory, and the simulator lets it run: somebody pays for servers that do not do. */
        FALSE_FIT,
        /** It ran, and the simulator refuses it. */
        FALSE_REFUSAL
    }

    /** @param fits by the simulator */
    public static FitOutcome of(CaseOutcome.Published published, boolean ran, boolean fits) {
        Verdict wrong = fits ? Verdict.FALSE_FIT : Verdict.FALSE_REFUSAL;
        return new FitOutcome(published, ran, fits == ran ? Verdict.RIGHT : wrong);
    }

    /** Whether it fits by the simulator. */
    public boolean fits() {
        return ran == isRight();
    }

    public boolean isRight() {
        return verdict == Verdict.RIGHT;
    }

    /**
     * Outcomes counted.
     *
     * @param falseFits of those, let run though they ran out of memory
     * @param falseRefusals of those, refused though they ran
     */
    public record Count(int all, int right, int falseFits, int falseRefusals) {
        public double share(int some) {
            return all == 0 ? 0 : (double) some / all;
        }
    }

    /** Counts right and wrong ones apart. */
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
