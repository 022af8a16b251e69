package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An assumption about an open choice of a scenario, with simulated alternatives.
 *
 * @param taken the assumption in words, for example {@code micro-batch 4}
 * @param others runs with alternatives, each titled by its choice alone; empty if they would have cost too much
 */
public record Assumption(String taken, List<Trial> others) {
    /** Change below which a brief answer omits the assumption. */
    private static final double NOTICEABLE = 0.01;

    public Assumption {
        others = List.copyOf(others);
    }

    /**
     * Returns samples per second with an alternative relative to the run's, minus one; 0 if neither ran [1].
     *
     * @param other an alternative from {@link #others}
     */
    public static double change(Trial other, RunResult run) {
        RunResult.Training training = run.training();
        return training == null || !other.fit().fits() ? 0 : other.samplesPerSecond() / training.samplesPerSecond() - 1;
    }

    /** Returns all assumptions of a run with their alternatives, in one sentence; empty if there are none. */
    public static List<String> sentences(RunResult run) {
        return sentence(run, run.facts().assumptions());
    }

    /** Returns only assumptions that matter: an alternative changes the speed by 1 % or more, or its effect is unknown. */
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

    /** Formats this, for example {@code micro-batch 4 (2: -3.1 %)}. */
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
