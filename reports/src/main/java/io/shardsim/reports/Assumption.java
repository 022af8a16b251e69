package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a scenario leaves open, how it was taken, and what other choices come to, as runs with them have shown.
 *
 * @param taken in words, for example {@code micro-batch 4}
 * @param others runs with other choices, each titled by its choice alone; empty where they would have cost too much
 */
public record Assumption(String taken, List<Trial> others) {
    /** Below this a reader who is in a hurry is not told. */
    private static final double NOTICEABLE = 0.01;

    public Assumption {
        others = List.copyOf(others);
    }

    /**
     * Samples per second with another choice over those of the run, less one; 0 where neither ran [1].
     *
     * @param other one of {@link #others}
     */
    public static double change(Trial other, RunResult run) {
        RunResult.Training training = run.training();
        return training == null || !other.fit().fits() ? 0 : other.samplesPerSecond() / training.samplesPerSecond() - 1;
    }

    /** All of a run, each with what others come to, in one sentence; none where nothing was assumed. */
    public static List<String> sentences(RunResult run) {
        return sentence(run, run.facts().assumptions());
    }

    /** Those alone that matter: another choice changes the speed by 1 % or more, or nobody knows. */
    public static List<String> brief(RunResult run) {
        return sentence(
                run,
                run.facts().assumptions().stream()
                        .filter(each -> each.others().isEmpty()
                                || each.others().stream()
                                        .anyMatch(other ->
                                                !other.fit().fits() || Math.abs(change(other, run)) >= NOTICEABLE))
                        .toList());
    }

    private static List<String> sentence(RunResult run, List<Assumption> some) {
        String words = some.stream().map(each -> each.words(run)).collect(Collectors.joining("; "));
        return some.isEmpty() ? List.of() : List.of("Assumed: " + words + ".");
    }

    /** For example {@code micro-batch 4 (2: -3.1 %)}. */
    private String words(RunResult run) {
        return taken
                + (others.isEmpty()
                        ? ""
                        : others.stream()
                                .map(other -> other.title() + ": "
                                        + (other.fit().fits() ? signed(change(other, run)) : "too large"))
                                .collect(Collectors.joining(", ", " (", ")")));
    }

    private static String signed(double change) {
        return (change < 0 ? "" : "+") + Quantities.percent(change);
    }
}
