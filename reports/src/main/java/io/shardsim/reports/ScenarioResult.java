package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** All runs of one scenario: one run, or every point of its sweep. */
public final class ScenarioResult {
    private final String scenario;
    private final List<RunResult> runs;
    private final int points;
    private final Origin origin;

    /** Asked for by every table and drawing: a sweep may have ten thousand series. */
    private final Map<String, List<RunResult>> series;

    private final RunNames names;

    private ScenarioResult(String scenario, List<RunResult> runs, int points, Origin origin) {
        this.scenario = scenario;
        this.runs = runs;
        this.points = points;
        this.origin = origin;
        List<List<RunResult>> bySeries = bySeries(runs);
        List<SeriesNames.Name> parts = SeriesNames.of(bySeries);
        series = named(bySeries, parts);
        names = new RunNames(runs, series, parts);
    }

    /** Puts runs together; in a sweep each gets its scaling efficiency. */
    public static ScenarioResult of(String scenario, List<RunResult> runs) {
        return of(scenario, runs, runs.size());
    }

    /**
     * The same for a command that may have been interrupted.
     *
     * @param points that the scenario has, run or not
     */
    public static ScenarioResult of(String scenario, List<RunResult> runs, int points) {
        return new ScenarioResult(
                scenario, List.copyOf(isSweep(runs) ? ScalingEfficiency.apply(runs) : runs), points, Origin.UNKNOWN);
    }

    /**
     * Where a result comes from.
     *
     * @param command that runs it again; empty where no command ran it
     * @param software name, version and build of the program; empty where only the version is known
     */
    public record Origin(String command, String software) {
        static final Origin UNKNOWN = new Origin("", "");
    }

    /** The same with its origin. */
    public ScenarioResult from(Origin other) {
        return new ScenarioResult(scenario, runs, points, other);
    }

    public Origin origin() {
        return origin;
    }

    public String scenario() {
        return scenario;
    }

    /** In the sweep's order. */
    public List<RunResult> runs() {
        return runs;
    }

    /** Points that the scenario has, run or not. */
    public int points() {
        return points;
    }

    /** Whether every point was run. */
    public boolean complete() {
        return runs.size() == points;
    }

    /** The place of one of the runs, from 0. */
    public int placeOf(RunResult run) {
        int place = 0;
        while (!runs.get(place).is(run)) {
            place++;
        }
        return place;
    }

    private static boolean isSweep(List<RunResult> runs) {
        return runs.size() > 1
                || (runs.size() == 1 && !runs.get(0).facts().point().isEmpty());
    }

    public boolean sweep() {
        return isSweep(runs);
    }

    /** The training run with the most tokens a second, the first of equal ones, a tight one only where none has room; null where none ran. */
    public @Nullable RunResult fastest() {
        int fastest = indexOfFastest(runs);
        return fastest < 0 ? null : runs.get(fastest);
    }

    /** Which of some runs is the fastest, as {@link #fastest} has it; -1 where none trained. */
    public static int indexOfFastest(List<RunResult> runs) {
        return best(runs, RunResult::tokensPerSecond);
    }

    /** The training run that costs least for as many tokens, the first of equal ones, a tight one only where none has room; null where none has a price. */
    public @Nullable RunResult cheapest() {
        int cheapest = best(
                runs,
                run -> run.cost() == null || !run.cost().hasPrice()
                        ? Double.NEGATIVE_INFINITY
                        : -run.cost().usd());
        return cheapest < 0 ? null : runs.get(cheapest);
    }

    private static int best(List<RunResult> runs, ToDoubleFunction<RunResult> goodness) {
        int best = -1;
        double most = Double.NEGATIVE_INFINITY;
        boolean roomy = anyHasRoom(runs);
        for (int i = 0; i < runs.size(); i++) {
            RunResult run = runs.get(i);
            double good = run.training() == null || (roomy && run.isTight())
                    ? Double.NEGATIVE_INFINITY
                    : goodness.applyAsDouble(run);
            best = good > most ? i : best;
            most = Math.max(most, good);
        }
        return best;
    }

    private static boolean anyHasRoom(List<RunResult> runs) {
        return runs.stream().anyMatch(run -> run.training() != null && !run.isTight());
    }

    /** The runs of which none is both slower and dearer than another one, the fastest first; tight ones only where none has room. */
    public List<RunResult> front() {
        List<RunResult> front = new ArrayList<>();
        double least = Double.POSITIVE_INFINITY;
        boolean roomy = anyHasRoom(runs);
        for (RunResult run : byDays()) {
            TrainingCost cost = run.cost();
            if (cost != null && cost.usd() < least && !(roomy && run.isTight())) {
                least = cost.usd();
                front.add(run);
            }
        }
        return front;
    }

    /** Training runs that ran, in the sweep's order. */
    public List<RunResult> trained() {
        return runs.stream().filter(run -> run.training() != null).toList();
    }

    /** Training runs that ran: those with room, the fastest first, then the tight ones. */
    public List<RunResult> byDays() {
        return trained().stream()
                .sorted(Comparator.comparing(RunResult::isTight)
                        .thenComparing(Comparator.comparingDouble(RunResult::tokensPerSecond)
                                .reversed()))
                .toList();
    }

    /** True when at least one point ran. */
    public boolean anyFits() {
        return runs.stream().anyMatch(RunResult::fits);
    }

    /** The run of a series that stands for it: on its largest cluster that fits, or on its largest. */
    public static RunResult largestThatFits(List<RunResult> series) {
        RunResult largest = series.get(series.size() - 1);
        for (RunResult run : series) {
            if (run.fits() && (!largest.fits() || run.gpus() >= largest.gpus())) {
                largest = run;
            }
        }
        return largest;
    }

    /** Runs that differ in the number of nodes only, smallest cluster first, by a name that tells them apart. */
    public Map<String, List<RunResult>> series() {
        return series;
    }

    /** Names that tell the runs apart. */
    public RunNames names() {
        return names;
    }

    private static List<List<RunResult>> bySeries(List<RunResult> runs) {
        Map<String, List<RunResult>> byKey = new LinkedHashMap<>();
        for (RunResult run : runs) {
            byKey.computeIfAbsent(ScalingEfficiency.seriesKey(run), key -> new ArrayList<>())
                    .add(run);
        }
        return byKey.values().stream()
                .map(members -> members.stream()
                        .sorted(Comparator.comparingInt(RunResult::gpus))
                        .toList())
                .toList();
    }

    private static Map<String, List<RunResult>> named(List<List<RunResult>> all, List<SeriesNames.Name> names) {
        Map<String, List<RunResult>> named = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            named.put(unusedName(named, names.get(i).words()), all.get(i));
        }
        return Collections.unmodifiableMap(named);
    }

    private static String unusedName(Map<String, ?> used, String name) {
        String candidate = name;
        for (int i = 2; used.containsKey(candidate); i++) {
            candidate = name + " (" + i + ")";
        }
        return candidate;
    }
}
