package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A setting that makes a run faster, or frees memory in a tight run, as a simulated trial has shown. Nothing is advised without a trial, nor if it
 * gains less than 2 % and frees no memory.
 *
 * <p>Combinations are not covered: each setting was tried alone.
 *
 * @param gain samples per second relative to the run's, minus one
 * @param usualMicroBatch the run's own micro-batch
 * @param usualFit the run's own memory fit
 */
public record Advice(Trial trial, double gain, int usualMicroBatch, MemoryFit usualFit) {
    private static final String MICRO_BATCH = "training.micro_batch";

    /** Gain below which a change is not worthwhile, and within the simulator's error. */
    public static final double GAIN_MIN = 0.02;

    /** Returns the advice of a run's trials: settings that free memory first, then by gain; the best of several values of one setting. */
    public static List<Advice> of(RunResult run) {
        RunResult.Training training = run.training();
        if (training == null) {
            return List.of();
        }
        Set<Set<String>> told = new HashSet<>();
        return run.facts().trials().stream()
                .filter(Trial::isDone)
                .map(trial -> new Advice(
                        trial,
                        trial.samplesPerSecond() / training.samplesPerSecond() - 1,
                        run.facts().model().microBatch(),
                        run.facts().ledger().fit()))
                .filter(advice -> advice.gains() || advice.makesRoom())
                .sorted(Comparator.<Advice, Boolean>comparing(
                                advice -> advice.trial().fit().isTight())
                        .thenComparing(Comparator.comparingDouble(Advice::gain).reversed()))
                .filter(advice -> told.add(advice.trial().settings().keySet()))
                .toList();
    }

    /**
     * Returns a sentence on what would have cost too much to try; empty if everything was tried.
     *
     * @param max maximum number of names
     */
    public static List<String> untried(RunResult run, int max) {
        List<String> untried = run.facts().tried().untried();
        int more = untried.size() - max;
        return untried.isEmpty()
                ? List.of()
                : List.of("Too costly to try: "
                        + untried.stream().limit(max).collect(Collectors.joining(", "))
                        + (more > 0 ? ", " + more + " more" : "") + " (--trials all).");
    }

    public boolean gains() {
        return gain >= GAIN_MIN;
    }

    /** Returns whether the run is tight and the trial is not. */
    public boolean makesRoom() {
        return usualFit.isTight() && trial.fit().isRoomy();
    }

    private String memory() {
        if (makesRoom()) {
            return "It fits with headroom. ";
        }
        boolean edge = MemoryWords.isAtEdge(trial.fit()) && !MemoryWords.isAtEdge(usualFit);
        return trial.fit().isTight()
                ? "It " + MemoryWords.verdict(trial.fit()) + ". "
                : edge ? "Memory is then nearly full. " : "";
    }

    /**
     * Formats the advice, for example {@code Flash attention: 21.8 samples/s (+144 %). --set training.attention=flash}, ending with usable
     * command-line options.
     */
    public String sentence() {
        boolean otherMicroBatch =
                trial.microBatch() != usualMicroBatch && !trial.settings().containsKey(MICRO_BATCH);
        return trial.title() + (otherMicroBatch ? " and micro-batch " + trial.microBatch() : "") + ": "
                + Quantities.significant(trial.samplesPerSecond()) + " samples/s (" + (gain < 0 ? "" : "+")
                + Quantities.percent(gain) + "). "
                + memory()
                + settings();
    }

    /** Returns the options of {@code run} for the change. */
    private String settings() {
        return trial.settings().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .map(setting -> "--set " + (setting.matches("[\\w.=-]+") ? setting : "'" + setting + "'"))
                .collect(Collectors.joining(" "));
    }
}
