package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The cost of each difference between compared runs of a sweep, from the intermediate runs that {@link Comparer} simulates, so that both agree. Runs
 * that differ in one thing only need none.
 *
 * <p>The effort is bounded: the fastest run's pairs come first, and pairs are skipped once intermediate runs would exceed the event budget, assuming
 * the two runs' average number of events for each.
 */
public final class PricedDifferences {
    private final FurtherRuns further;
    /** The slower run's extra time over the faster one, by cause [ps]. */
    private final IdentityHashMap<RunResult, Map<String, Long>> causesPs = new IdentityHashMap<>();

    public PricedDifferences(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /**
     * Runs the intermediate points between compared runs, if all points of a scenario are done.
     *
     * @param eventsMax event budget
     * @return events executed
     */
    public long price(Scenario scenario, List<RunResult> runs, long eventsMax, ProgressListener progress) {
        if (runs.size() != scenario.points().size()) {
            return 0;
        }
        ScenarioResult sweep = ScenarioResult.of(scenario.name(), runs);
        Map<DifferencePath, StrategyComparison> mixtures = new LinkedHashMap<>();
        List<ScenarioPoint> between = new ArrayList<>();
        long events = 0;
        List<StrategyComparison> pairs = new ArrayList<>(StrategyComparison.of(sweep));
        pairs.sort(Comparator.comparing(pair -> !pair.fast().is(sweep.fastest())));
        for (StrategyComparison pair : pairs) {
            DifferencePath mixture = new DifferencePath(
                    scenario.points().get(sweep.placeOf(pair.slow())),
                    pair.slow(),
                    scenario.points().get(sweep.placeOf(pair.fast())),
                    pair.fast());
            int stops = mixture.points().size();
            events += stops * (executed(pair.slow()) + executed(pair.fast())) / 2;
            if (stops == 0 || events <= eventsMax) {
                mixtures.put(mixture, pair);
                between.addAll(mixture.points());
            }
        }
        PointRuns ran = further.runBetween(between, eventsMax, progress);
        if (ran == null) {
            return 0;
        }
        mixtures.forEach((mixture, pair) -> {
            if (mixture.points().stream().allMatch(point -> ran.result(point) != null)) {
                Map<String, Long> causes = new LinkedHashMap<>();
                mixture.contributions(ran::result, ComparedRun.tokens(pair.fast()))
                        .forEach(one -> causes.put(one.words(), -one.ps()));
                causesPs.put(runs.get(sweep.placeOf(pair.slow())), causes);
            }
        });
        return between.stream()
                .map(ran::result)
                .filter(Objects::nonNull)
                .mapToLong(PricedDifferences::executed)
                .sum();
    }

    private static long executed(RunResult run) {
        return run.effort().executedEvents();
    }

    /** Returns the runs with their priced differences. */
    public List<RunResult> with(List<RunResult> runs) {
        return runs.stream()
                .map(run -> causesPs.containsKey(run) ? run.withCauses(causesPs.get(run)) : run)
                .toList();
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        further.interrupt();
    }
}
