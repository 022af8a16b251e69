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

    /** Cached, since every table and chart needs it: a sweep may have ten thousand series. */
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

    /** Combines runs; in a sweep each gets its scaling efficiency. */
    public static ScenarioResult of(String scenario, List<RunResult> runs) {
        return of(scenario, runs, runs.size());
    }

    /**
     * Combines runs of a command that may have been interrupted.
     *
     * @param points number of points in the scenario, run or not
     */
    public static ScenarioResult of(String scenario, List<RunResult> runs, int points) {
        return new ScenarioResult(
                scenario, List.copyOf(isSweep(runs) ? ScalingEfficiency.apply(runs) : runs), points, Origin.UNKNOWN);
    }

    /**
     * The origin of a result.
     *
     * @param command command that repeats the run; empty if none did it
     * @param software name, version and build of the program; empty if only the version is known
     */
    public record Origin(String command, String software) {
        static final Origin UNKNOWN = new Origin("", "");
    }

    /** Returns this with its origin. */
    public ScenarioResult from(Origin other) {
        return new ScenarioResult(scenario, runs, points, other);
    }

    public Origin origin() {
        return origin;
    }

    public String scenario() {
        return scenario;
    }

    /** Returns the runs in sweep order. */
    public List<RunResult> runs() {
        return runs;
    }

    /** Returns the number of points in the scenario, run or not. */
    public int points() {
        return points;
    }

    /** Returns whether every point was run. */
    public boolean complete() {
        return runs.size() == points;
    }

    /** Returns the index of a run, from 0. */
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

    /** Returns the training run with the most tokens per second, the first of equals, a tight one only if none has headroom; null if none ran. */
    public @Nullable RunResult fastest() {
        int fastest = indexOfFastest(runs);
        return fastest < 0 ? null : runs.get(fastest);
    }

    /** Returns the index of the fastest run, chosen like {@link #fastest}; -1 if none trained. */
    public static int indexOfFastest(List<RunResult> runs) {
        return best(runs, RunResult::tokensPerSecond);
    }

    /**
     * Returns the training run with the lowest cost per token, the first of equals, a tight one only if none has headroom; null if none has a price.
     */
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

    /** Returns the Pareto front of speed and cost, fastest first; tight runs only if none has headroom. */
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

    /** Returns training runs that ran, in sweep order. */
    public List<RunResult> trained() {
        return runs.stream().filter(run -> run.training() != null).toList();
    }

    /** Returns training runs that ran: those with headroom, fastest first, then tight ones. */
    public List<RunResult> byDays() {
        return trained().stream()
                .sorted(Comparator.comparing(RunResult::isTight)
                        .thenComparing(Comparator.comparingDouble(RunResult::tokensPerSecond)
                                .reversed()))
                .toList();
    }

    /** Returns whether at least one point ran. */
    public boolean anyFits() {
        return runs.stream().anyMatch(RunResult::fits);
    }

    /** Returns the run that represents a series: on its largest cluster that fits, or on its largest. */
    public static RunResult largestThatFits(List<RunResult> series) {
        RunResult largest = series.get(series.size() - 1);
        for (RunResult run : series) {
            if (run.fits() && (!largest.fits() || run.gpus() >= largest.gpus())) {
                largest = run;
            }
        }
        return largest;
    }

    /** Returns runs that differ only in the number of nodes, smallest cluster first, by a distinguishing name. */
    public Map<String, List<RunResult>> series() {
        return series;
    }

    /** Returns names that distinguish the runs. */
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
