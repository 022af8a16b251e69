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
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What each difference between compared runs of a sweep costs, by the walk that {@link Comparer} takes between the two, so that both say the same. Runs that differ in
 * one thing alone need no walk.
 *
 * <p>What it costs is bounded: pairs are left out from where their walks may take more than {@value #EVENTS_MAX} events, taken that a stop executes as many as the
 * larger of the two runs.
 */
public final class PricedDifferences {
    private static final long EVENTS_MAX = 10_000_000;

    private final FurtherRuns further;
    /** What the slower of two compared runs loses to the faster one, by cause [ps]. */
    private final IdentityHashMap<RunResult, Map<String, Long>> causesPs = new IdentityHashMap<>();

    public PricedDifferences(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /** Runs what lies between the runs that are compared, if all points of a scenario are done. */
    public void price(Scenario scenario, List<RunResult> runs, ProgressListener progress) {
        if (runs.size() != scenario.points().size()) {
            return;
        }
        ScenarioResult sweep = ScenarioResult.of(scenario.name(), runs);
        Map<Mixture, StrategyComparison> mixtures = new LinkedHashMap<>();
        List<ScenarioPoint> between = new ArrayList<>();
        long events = 0;
        for (StrategyComparison pair : StrategyComparison.of(sweep)) {
            Mixture mixture = new Mixture(
                    scenario.points().get(sweep.placeOf(pair.slow())), pair.slow(),
                    scenario.points().get(sweep.placeOf(pair.fast())), pair.fast());
            events += mixture.points().size()
                    * Math.max(
                            pair.slow().effort().executedEvents(),
                            pair.fast().effort().executedEvents());
            if (mixture.points().isEmpty() || events <= EVENTS_MAX) {
                mixtures.put(mixture, pair);
                between.addAll(mixture.points());
            }
        }
        PointRuns ran = further.runBetween(between, EVENTS_MAX, progress);
        if (ran == null) {
            return;
        }
        mixtures.forEach((mixture, pair) -> {
            if (mixture.points().stream().allMatch(point -> ran.result(point) != null)) {
                Map<String, Long> causes = new LinkedHashMap<>();
                mixture.contributions(ran::result, ComparedRun.tokens(pair.fast()))
                        .forEach(one -> causes.put(one.words(), -one.ps()));
                causesPs.put(runs.get(sweep.placeOf(pair.slow())), causes);
            }
        });
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
