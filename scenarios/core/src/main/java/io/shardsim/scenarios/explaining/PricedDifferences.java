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
 * What each difference between compared runs of a sweep costs, by the walk that {@link Comparer} takes between the two, so that both say the same. Runs that differ in
 * one thing alone need no walk.
 *
 * <p>What it costs is bounded: the fastest run's pairs come first, and pairs are left out from where walks may take more events than they may, taken that a stop executes as many
 * as the two runs do on average.
 */
public final class PricedDifferences {
    private final FurtherRuns further;
    /** What the slower of two compared runs loses to the faster one, by cause [ps]. */
    private final IdentityHashMap<RunResult, Map<String, Long>> causesPs = new IdentityHashMap<>();

    public PricedDifferences(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /**
     * Runs what lies between the runs that are compared, if all points of a scenario are done.
     *
     * @param eventsMax events that may take
     * @return events that it took
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

    /** The runs with what was priced of them. */
    public List<RunResult> with(List<RunResult> runs) {
        return runs.stream()
                .map(run -> causesPs.containsKey(run) ? run.withCauses(causesPs.get(run)) : run)
                .toList();
    }

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        further.interrupt();
    }
}
