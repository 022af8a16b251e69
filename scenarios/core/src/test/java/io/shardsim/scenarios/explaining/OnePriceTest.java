package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StepParts;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A difference has one price: {@code run} and {@code compare} agree to the picosecond, whichever run is named first. With {@code -Dprices.all} for
 * every scenario of the library, which takes minutes.
 */
@Tag("once")
@Tag("slow")
class OnePriceTest {
    /** Strategies whose kernels and micro-batches also differ, so that paths have several intermediate runs. */
    private static final String SMALL = """
            scenario: small
            model: {hidden: 4096, layers: 8, heads: 32, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 2048, global_batch: 64}
            strategy: {kind: zero3}
            sweep: {strategy.kind: [zero3, mics, fsdp, zero1]}
            """;

    private static final List<String> SOME = List.of("small", "lesson-3-slow-nic");

    static List<String> names() {
        return System.getProperty("prices.all") == null ? SOME : Library.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void runAndCompareAgree(String name) throws Exception {
        Scenario scenario = name.equals("small")
                ? ScenarioReader.readText("small.yaml", SMALL)
                : ScenarioReader.read("library/" + name + ".yaml");
        PointRuns runs = new PointRuns(List.of(scenario), 2);
        try (PointSimulation simulation = new PointSimulation(2, true)) {
            runs.runAll(simulation, (done, what) -> {});
        }
        List<RunResult> results = runs.results(scenario);
        PricedDifferences prices = new PricedDifferences(PointSimulation::new, 2);
        prices.price(scenario, results, Integer.MAX_VALUE, (done, what) -> {});
        ScenarioResult priced = ScenarioResult.of(scenario.name(), prices.with(results));
        List<StrategyComparison> pairs = StrategyComparison.of(priced);
        assertThat(pairs)
                .filteredOn(pair -> pair.causesPs().size() > 1)
                .hasSizeGreaterThanOrEqualTo(name.equals("small") ? 2 : 0);
        for (StrategyComparison pair : pairs) {
            ScenarioPoint slow = scenario.points().get(priced.placeOf(pair.slow()));
            ScenarioPoint fast = scenario.points().get(priced.placeOf(pair.fast()));
            assertThat(StepParts.sum(pair.causesPs()))
                    .as(pair.brief())
                    .isEqualTo(pair.gap().gapPs());
            assertThat(saved(fast, slow, -1)).as(pair.brief()).isEqualTo(pair.causesPs());
            if (slow.task() instanceof Task.Training one
                    && fast.task() instanceof Task.Training other
                    && one.learning().equals(other.learning())) {
                assertThat(saved(slow, fast, 1)).as(pair.brief()).isEqualTo(pair.causesPs());
            }
        }
        assertThat(pairs.isEmpty() && SOME.contains(name))
                .as("%s compares nothing", name)
                .isFalse();
    }

    /** Returns the savings of the second run over the first, or the reverse, by {@code compare}. */
    private static Map<String, Long> saved(ScenarioPoint a, ScenarioPoint b, int sign) throws InputException {
        Comparison comparison = new Comparer(PointSimulation::new, 2)
                .compare(
                        new Comparer.Point(RunName.of("a"), a),
                        new Comparer.Point(RunName.of("b"), b),
                        (done, what) -> {});
        Map<String, Long> saved = new LinkedHashMap<>();
        comparison.contributions().forEach(one -> saved.put(one.words(), -sign * one.ps()));
        return saved;
    }
}
