package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A setting that makes a run faster, or gives a tight run room, as a run with that setting has shown. What was not simulated is no advice, nor what gains less than 2 %
 * and no room.
 *
 * <p>Leaves out what two settings gain together: each was tried alone.
 *
 * @param gain samples per second over those of the run, less one
 * @param usualMicroBatch micro-batch of the run
 * @param usualFit how the run fits in memory
 */
public record Advice(Trial trial, double gain, int usualMicroBatch, MemoryFit usualFit) {
    private static final String MICRO_BATCH = "training.micro_batch";

    /** Below this a gain is not worth a change, and within what the simulator is off by. */
    public static final double GAIN_MIN = 0.02;

    /** What the trials of a run advise, what has room and then the largest gain first; of several values of the same settings the best. */
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
     * What would have cost too much to try, in a sentence; none where all was tried.
     *
     * @param max how many are named
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

    /** Whether the run is tight and this is not. */
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

    /** For example {@code Flash attention: 21.8 samples/s (+144 %). --set training.attention=flash}, whose end works on a command line as it stands. */
    public String sentence() {
        boolean otherMicroBatch =
                trial.microBatch() != usualMicroBatch && !trial.settings().containsKey(MICRO_BATCH);
        return trial.title() + (otherMicroBatch ? " and micro-batch " + trial.microBatch() : "") + ": "
                + Quantities.significant(trial.samplesPerSecond()) + " samples/s (" + (gain < 0 ? "" : "+")
                + Quantities.percent(gain) + "). "
                + memory()
                + settings();
    }

    /** The options of {@code run} that make the same change. */
    private String settings() {
        return trial.settings().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .map(setting -> "--set " + (setting.matches("[\\w.=-]+") ? setting : "'" + setting + "'"))
                .collect(Collectors.joining(" "));
    }
}
