package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StrategyComparisonTest {
    private static final long S = 1_000_000_000_000L;

    private static RunResult run(String nic, String kind, String kernels, int microBatch, int seconds) {
        Map<String, Object> point = new LinkedHashMap<>();
        point.put("cluster.nic", nic);
        point.put("strategy.kind", kind);
        RunFacts facts = RunFacts.ofTraining(
                "s",
                point,
                SampleRuns.p4d(4),
                new RunFacts.Strategy(kind, kind, 32, RunFacts.Split.NONE, kernels),
                new RunFacts.Training(
                        "m",
                        1_000_000_000,
                        0,
                        2048,
                        1536,
                        microBatch,
                        48 / microBatch,
                        Recomputation.NONE,
                        false,
                        312e12),
                new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 1L << 30), 4L << 30),
                List.of(),
                List.of(),
                List.of());
        RankTotals rank = new RankTotals(
                0,
                seconds * S,
                Map.of(Stream.COMPUTE, seconds * S),
                Map.of(Work.Kind.LAYER_FORWARD, seconds * S),
                0,
                Map.of());
        return RunResult.of(
                facts, new StepObservation(seconds * S, List.of(rank), List.of(), List.of(), 1, 1, 1, "d"), 1);
    }

    @Test
    void strategiesAreComparedWithTheRestOfTheSweepAlike() {
        List<RunResult> runs = new ArrayList<>();
        for (String nic : List.of("25 Gbit/s", "100 Gbit/s")) {
            int slower = nic.startsWith("25") ? 3 : 1;
            runs.add(run(nic, "zero3", "eager", 1, 8 * slower));
            runs.add(run(nic, "zeropp", "eager", 1, 4 * slower));
        }
        assertThat(StrategyComparison.of(ScenarioResult.of("s", runs)))
                .extracting(StrategyComparison::faster, StrategyComparison::slower, StrategyComparison::speedUp)
                .containsExactly(
                        tuple("zeropp, nic 25 Gbit/s", "zero3, nic 25 Gbit/s", 2.0),
                        tuple("zeropp, nic 100 Gbit/s", "zero3, nic 100 Gbit/s", 2.0));
    }

    @Test
    void whereOnlySomethingElseVariesThatIsCompared() {
        List<RunResult> runs =
                List.of(run("25 Gbit/s", "zero3", "eager", 1, 8), run("100 Gbit/s", "zero3", "eager", 1, 4));
        assertThat(StrategyComparison.of(ScenarioResult.of("s", runs)))
                .extracting(StrategyComparison::faster)
                .containsExactly("nic 100 Gbit/s");
    }

    @Test
    void saysWhatElseIsNotAlike() {
        List<RunResult> runs = List.of(run("100 Gbit/s", "fsdp", "fsdp", 3, 8), run("100 Gbit/s", "mics", "smp", 6, 4));
        assertThat(StrategyComparison.of(ScenarioResult.of("s", runs)).get(0).sentence())
                .contains("because fsdp computes for 8.00 s of 8.00 s, mics for 4.00 s of 4.00 s"
                        + " (micro-batches 6 and 3, kernels of smp and fsdp).");
        List<RunResult> alike =
                List.of(run("100 Gbit/s", "fsdp", "eager", 3, 8), run("100 Gbit/s", "mics", "eager", 3, 4));
        assertThat(StrategyComparison.of(ScenarioResult.of("s", alike)).get(0).sentence())
                .contains("4.00 s of 4.00 s.");
    }
}
