package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Runs faults, each alone, within a budget of events. */
final class FaultSearch {
    /** Events after which a run with a fault is given up: some four seconds. */
    private static final long EVENTS_MAX = 12_000_000;
    /** Limit on such a run as a multiple of the healthy run's events. */
    private static final int EVENTS_FACTOR = 2;

    /** Events of all fault runs together if the answer must be quick: some twelve seconds on one core. */
    private static final long ALL_EVENTS_MAX = 36_000_000;
    /** Limit on all fault runs as a multiple of the healthy runs' events. */
    private static final int ALL_EVENTS_FACTOR = 4;

    /** Standard deviations from the measurement beyond which still milder or stronger faults are not run. */
    private static final double FAR = 3;

    private final Explanation alone;
    private final List<FaultCase> cases;
    private final FurtherRuns further;
    private final Costs costs;
    private final ProgressListener progress;
    /** Cases run so far; without results if interrupted or too expensive. */
    private final Map<FaultCase, List<RunResult>> ran = new IdentityHashMap<>();

    /**
     * @param alone the measurements compared with the healthy run
     * @param all whether to try all faults whatever they cost
     */
    FaultSearch(Explanation alone, List<FaultCase> cases, boolean all, FurtherRuns further, ProgressListener progress) {
        this.alone = alone;
        this.cases = cases;
        this.further = further;
        this.progress = progress;
        costs = Costs.of(alone.logs(), all);
    }

    /** The event budget of fault runs. */
    private static final class Costs {
        private final long foreseen;
        private final long ofOne;
        /** State: remaining events. */
        private long left;

        private Costs(long foreseen, long ofOne, long left) {
            this.foreseen = foreseen;
            this.ofOne = ofOne;
            this.left = left;
        }

        static Costs of(List<Explanation.Log> logs, boolean all) {
            long largest = 0;
            long sum = 0;
            for (Explanation.Log log : logs) {
                long events = log.healthy().effort().executedEvents();
                largest = Math.max(largest, events);
                sum += events;
            }
            return new Costs(
                    sum,
                    Math.max(EVENTS_MAX, EVENTS_FACTOR * largest),
                    all ? Long.MAX_VALUE : Math.max(ALL_EVENTS_MAX, ALL_EVENTS_FACTOR * sum));
        }

        long ofOne() {
            return ofOne;
        }

        /** Spends a case's events; returns whether it may run. */
        boolean spend(FaultCase one) {
            boolean enough = one.points().isEmpty() || foreseen <= left;
            left -= enough && !one.points().isEmpty() ? foreseen : 0;
            return enough;
        }
    }

    /** The limit on a run [events]. */
    long eventsOfOne() {
        return costs.ofOne();
    }

    Map<FaultCase, List<RunResult>> ran() {
        return ran;
    }

    /** Tries each fault alone. If one shown by a log explains the speed, runs only faults that the scenario leaves open besides it. */
    Explanation run() {
        Explanation.Others known = alone.others();
        if (!known.shown().isEmpty()) {
            Predicate<FaultCase> isShown = one -> known.shown().containsKey(one.fault());
            Predicate<FaultCase> isOpen = one -> known.questions().containsKey(one.fault());
            run(cases.stream().filter(isShown).toList());
            run(cases.stream().filter(isShown.or(isOpen)).toList());
            Explanation shown = Suspects.explanation(alone, cases, ran);
            if (!shown.suspects().isEmpty()
                    && shown.suspects().get(0).explains()
                    && known.shown().containsKey(shown.suspects().get(0).fault())) {
                return shown;
            }
        }
        run(cases);
        return Suspects.explanation(alone, cases, ran);
    }

    /**
     * Runs outstanding cases, common faults first. Of ordered strengths the middle one runs first, then milder and stronger ones until one is far
     * from the measurement.
     */
    private void run(List<FaultCase> outstanding) {
        Map<String, List<FaultCase>> faults = new LinkedHashMap<>();
        outstanding.forEach(one ->
                faults.computeIfAbsent(one.fault(), name -> new ArrayList<>()).add(one));
        List<FaultCase> wave = new ArrayList<>();
        do {
            List<FaultCase> paid = wave.stream()
                    .sorted(Comparator.comparing(
                                    (FaultCase one) -> !alone.others().shown().containsKey(one.fault()))
                            .thenComparing(one -> -one.odds()))
                    .filter(costs::spend)
                    .toList();
            PointRuns runs = further.runWhole(
                    paid.stream().flatMap(one -> one.points().stream()).toList(),
                    options -> options.within(costs.ofOne()),
                    progress);
            wave.forEach(one -> ran.put(one, runs == null || !paid.contains(one) ? List.of() : one.results(runs)));
            wave.clear();
            faults.values().forEach(strengths -> wave.addAll(next(strengths)));
        } while (!wave.isEmpty());
    }

    private List<FaultCase> next(List<FaultCase> strengths) {
        List<Integer> done = IntStream.range(0, strengths.size())
                .filter(i -> ran.containsKey(strengths.get(i)))
                .boxed()
                .toList();
        if (!strengths.get(0).known().ordered()) {
            return done.isEmpty() ? strengths : List.of();
        }
        if (done.isEmpty()) {
            return List.of(strengths.get((strengths.size() - 1) / 2));
        }
        int milder = done.get(0) - 1;
        int stronger = done.get(done.size() - 1) + 1;
        List<FaultCase> next = new ArrayList<>();
        if (milder >= 0 && !isBeyond(ran.get(strengths.get(milder + 1)), 1)) {
            next.add(strengths.get(milder));
        }
        if (stronger < strengths.size() && !isBeyond(ran.get(strengths.get(stronger - 1)), -1)) {
            next.add(strengths.get(stronger));
        }
        return next;
    }

    /** Returns whether a run is much faster (1) or slower (-1) than measured. */
    private boolean isBeyond(@Nullable List<RunResult> runs, int sign) {
        return runs != null
                && runs.size() == alone.logs().size()
                && IntStream.range(0, runs.size())
                        .filter(i ->
                                alone.logs().get(i).isSpeed() && runs.get(i).fits())
                        .anyMatch(i -> sign * alone.logs().get(i).deviations(runs.get(i)) > FAR);
    }
}
