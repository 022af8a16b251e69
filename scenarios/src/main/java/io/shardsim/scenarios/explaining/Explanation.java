package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A measured speed beside that of the healthy run, and the faults that would make up the difference.
 *
 * @param name the run as the command line names it
 * @param healthy the run without a fault
 * @param expected how far off simulated speeds are
 * @param suspects the likeliest first
 * @param others titles of faults that change nothing here, do not fit in memory, or take too long to simulate
 */
public record Explanation(
        String name, RunResult healthy, Measured measured, Expected expected, List<Suspect> suspects, Others others) {
    /** A fault explains what was measured where its own speed is within so many standard deviations. */
    static final double FIT_MAX = 2;

    /** What a comparison comes to. */
    public enum Verdict {
        HEALTHY,
        FASTER,
        EXPLAINED,
        UNEXPLAINED,
        DOES_NOT_FIT
    }

    /**
     * The error of simulated speeds, as the logarithm of simulated over measured.
     *
     * @param low at one end of the range of published runs like this one [1]
     * @param high at its other end [1]
     */
    record Expected(double low, double high) {
        /** Standard deviations between the middle of a normal distribution and the ends of the range that holds four fifths of it. */
        private static final double DEVIATIONS = 1.2816;

        /** How many standard deviations a ratio is off. */
        double deviations(double timesAsFast) {
            return (StrictMath.log(timesAsFast) - (low + high) / 2) / ((high - low) / 2 / DEVIATIONS);
        }

        boolean isUsual(double timesAsFast) {
            return StrictMath.log(timesAsFast) >= low && StrictMath.log(timesAsFast) <= high;
        }
    }

    /**
     * A fault, and the run with it in the strength that fits best.
     *
     * @param fault name of its file
     * @param title with the strength
     * @param settings that make it
     * @param run with it; null where it is not simulated
     * @param deviations by how many standard deviations its speed differs from what was measured [1]
     * @param likelihood of all its strengths, before it is compared with other faults [1]
     * @param share of the likelihood of all, 0 to 1
     */
    record Suspect(
            String fault,
            String title,
            Map<String, String> settings,
            List<String> look,
            @Nullable RunResult run,
            double deviations,
            double likelihood,
            double share) {
        Suspect with(double otherShare) {
            return new Suspect(fault, title, settings, look, run, deviations, likelihood, otherShare);
        }

        /** The same fault with another strength. */
        Suspect or(Suspect other) {
            Suspect best = Math.abs(other.deviations) < Math.abs(deviations) ? other : this;
            return new Suspect(
                    fault,
                    best.title,
                    best.settings,
                    look,
                    best.run,
                    best.deviations,
                    likelihood + other.likelihood,
                    share);
        }

        boolean explains() {
            return Math.abs(deviations) <= FIT_MAX;
        }
    }

    /** Faults that can say nothing here. */
    record Others(List<String> withoutEffect, List<String> tooLarge, List<String> tooLong) {
        Others {
            withoutEffect = List.copyOf(withoutEffect);
            tooLarge = List.copyOf(tooLarge);
            tooLong = List.copyOf(tooLong);
        }
    }

    /** Ranks the suspects. A fault is as likely as its strengths together, and shown with the one that fits best. */
    static Explanation of(
            String name,
            RunResult healthy,
            Measured measured,
            Expected expected,
            List<Suspect> suspects,
            Others others) {
        Map<String, Suspect> faults = new LinkedHashMap<>();
        suspects.forEach(one -> faults.merge(one.fault(), one, Suspect::or));
        double all = suspects.stream().mapToDouble(Suspect::likelihood).sum();
        return new Explanation(
                name,
                healthy,
                measured,
                expected,
                faults.values().stream()
                        .map(one -> one.with(all > 0 ? one.likelihood() / all : 0))
                        .sorted(Comparator.comparingDouble(Suspect::likelihood)
                                .reversed()
                                .thenComparing(one -> Math.abs(one.deviations()))
                                .thenComparing(Suspect::title))
                        .toList(),
                others);
    }

    public boolean fits() {
        return healthy.fits();
    }

    /** What to say first. */
    Verdict verdict() {
        if (!fits()) {
            return Verdict.DOES_NOT_FIT;
        }
        double ratio = measured.timesAsFast(healthy);
        if (expected.isUsual(ratio)) {
            return Verdict.HEALTHY;
        }
        if (StrictMath.log(ratio) < expected.low()) {
            return Verdict.FASTER;
        }
        return !suspects.isEmpty() && suspects.get(0).explains() ? Verdict.EXPLAINED : Verdict.UNEXPLAINED;
    }
}
