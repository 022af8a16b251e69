package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.groups.Tuple.tuple;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StrategyComparisonTest {
    private static final long S = 1_000_000_000_000L;

    private static RunResult run(String nic, String kind, String kernels, int microBatch, int seconds) {
        return run(
                Map.of("cluster.nic", nic, "strategy.kind", kind),
                kind,
                kernels,
                microBatch,
                1536,
                seconds,
                Map.of(Work.Kind.LAYER_FORWARD, seconds * S),
                0,
                Map.of());
    }

    /** Returns a run that is idle for the rest of its time. */
    private static RunResult run(
            Map<String, Object> point,
            String kind,
            String kernels,
            int microBatch,
            int globalBatch,
            int seconds,
            Map<Work.Kind, Long> workPs,
            long slowdownPs,
            Map<Stream, Long> exposedPs) {
        RunFacts facts = RunFacts.of(
                "s",
                new TreeMap<>(point),
                SampleRuns.p4d(4),
                new RunFacts.Sharded(
                        new RunFacts.Strategy(kind, kind, 32, new StateHolders(32, 8), RunFacts.Split.NONE, kernels),
                        new RunFacts.Training(
                                "m",
                                RunFacts.Parameters.of(1_000_000_000),
                                0,
                                globalBatch,
                                new Batch(2048, microBatch, 48 / microBatch),
                                Recomputation.NONE,
                                new RunFacts.Peak("bf16", 312e12)),
                        new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 1L << 30), 4L << 30)),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        long busyPs = slowdownPs + sum(workPs);
        RankTotals rank = new RankTotals(
                0, busyPs + sum(exposedPs), Map.of(Stream.COMPUTE, busyPs), workPs, slowdownPs, exposedPs);
        return RunResult.of(
                facts, new StepObservation(seconds * S, List.of(rank), List.of(), List.of(), 1, 1, 1, "d"), 1);
    }

    private static long sum(Map<?, Long> ps) {
        return ps.values().stream().mapToLong(Long::longValue).sum();
    }

    private static List<StrategyComparison> compare(RunResult... runs) {
        return StrategyComparison.of(ScenarioResult.of("s", List.of(runs)));
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
                        tuple("zeropp, NIC 25 Gbit/s", "zero3, NIC 25 Gbit/s", 2.0),
                        tuple("zeropp, NIC 100 Gbit/s", "zero3, NIC 100 Gbit/s", 2.0));
    }

    /** Prefetch changes 1 %, the micro-batch doubles the speed: points that differ only in prefetch are not compared. */
    @Test
    void aSettingThatHardlyMattersIsNotCompared() {
        List<RunResult> runs = new ArrayList<>();
        for (int microBatch : List.of(1, 2)) {
            for (boolean prefetch : List.of(false, true)) {
                int seconds = 200 / microBatch - (prefetch ? 1 : 0);
                runs.add(run(
                        Map.of("training.micro_batch", microBatch, "strategy.prefetch", prefetch),
                        "fsdp",
                        "eager",
                        microBatch,
                        1536,
                        seconds,
                        Map.of(Work.Kind.LAYER_FORWARD, seconds * S),
                        0,
                        Map.of()));
            }
        }
        ScenarioResult sweep = ScenarioResult.of("s", runs);
        assertThat(StrategyComparison.of(sweep))
                .extracting(StrategyComparison::brief)
                .containsExactly(
                        "At 32 GPUs micro-batch 2 is 2.01x as fast as micro-batch 1: 100 s less per step, all from less kernel time.");
        assertThat(KeyWeight.of(sweep))
                .extracting(KeyWeight::words)
                .containsExactly("micro_batch 2.0x", "prefetch 1.01x");
    }

    @Test
    void whereOnlySomethingElseVariesThatIsCompared() {
        assertThat(compare(run("25 Gbit/s", "zero3", "eager", 1, 8), run("100 Gbit/s", "zero3", "eager", 1, 4)))
                .extracting(StrategyComparison::faster)
                .containsExactly("NIC 100 Gbit/s");
    }

    /** Two networks and two batches: the fastest differs from one run in the network, from another in the batch, and from the third in both. */
    @Test
    void pointsThatDifferInTwoThingsAreNotCompared() {
        List<RunResult> runs = new ArrayList<>();
        for (String nic : List.of("25 Gbit/s", "100 Gbit/s")) {
            for (int batch : List.of(1536, 3072)) {
                int seconds = (nic.startsWith("25") ? 8 : 4) * (batch / 1536) + 1;
                runs.add(run(
                        Map.of("cluster.nic", nic, "training.global_batch", batch),
                        "zero3",
                        "eager",
                        1,
                        batch,
                        seconds,
                        Map.of(Work.Kind.LAYER_FORWARD, seconds * S),
                        0,
                        Map.of()));
            }
        }
        assertThat(StrategyComparison.of(ScenarioResult.of("s", runs)))
                .extracting(StrategyComparison::slower)
                .containsExactly("NIC 25 Gbit/s, global batch 3072", "NIC 100 Gbit/s, global batch 1536");
    }

    /** 10 s saved: 7 s of waiting and 4 s of kernels, minus 1 s of interference. */
    @Test
    void theGapIsSplitIntoPartsThatSumToIt() {
        StrategyComparison comparison = compare(
                        strategy("mics", "smp", 20, 18, 2, 0), strategy("zero3", "deepspeed", 30, 22, 1, 7))
                .get(0);
        assertThat(comparison.sentence())
                .startsWith(
                        "At 32 GPUs mics is 1.50x as fast as zero3. It saves 10.0 s per step: 7.0 s less waiting for"
                                + " parameter gathers, 4.0 s less kernel time, 1.0 s more interference. That saves");
        assertThat(comparison.gap().parts())
                .containsExactly(entry("waiting_gather", 7 * S), entry("kernels", 4 * S), entry("interference", -S));
        assertThat(sum(comparison.gap().parts())).isEqualTo(comparison.gap().gapPs());
        assertThat(comparison.causesPs()).isEmpty();
    }

    /** The cost of each difference is known only after intermediate runs. */
    @Test
    void whatRunsBetweenHaveShownIsSaid() {
        RunResult fast = strategy("mics", "smp", 20, 18, 2, 0);
        RunResult slow = strategy("zero3", "deepspeed", 30, 22, 1, 7);
        StrategyComparison comparison = compare(fast, slow.withCauses(Map.of("sharding", 7 * S, "kernels", 3 * S)))
                .get(0);
        assertThat(comparison.brief())
                .isEqualTo("At 32 GPUs mics is 1.50x as fast as zero3: sharding saves 7.0 s/step, kernels 3.0 s.");
        assertThat(comparison.sentence())
                .contains("4.0 s less kernel time, 1.0 s more interference. By cause: 7.0 s sharding, 3.0 s kernels.");
        assertThatThrownBy(() -> compare(fast, slow.withCauses(Map.of("sharding", 7 * S))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not the sum of its causes");
    }

    @Test
    void partsOfAGapThatDoNotSumAreRefused() {
        assertThatThrownBy(() -> new StepGap(10, Map.of(Stream.GATHER, 7L), Map.of(), 2, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a gap of 10 ps is not the sum 9 ps");
    }

    /** The setting is the cause; the parts show what it changes. */
    @Test
    void partsOfAGapBetweenTwoNetworks() {
        assertThat(compare(network("25 Gbit/s", 30, 9), network("100 Gbit/s", 22, 1))
                        .get(0)
                        .brief())
                .isEqualTo(
                        "At 32 GPUs NIC 100 Gbit/s is 1.36x as fast as NIC 25 Gbit/s: 8.00 s less per step, all from less waiting for parameter gathers.");
    }

    private static RunResult network(String nic, int seconds, int waiting) {
        return run(
                Map.of("cluster.nic", nic),
                "zero3",
                "eager",
                1,
                1536,
                seconds,
                Map.of(Work.Kind.LAYER_FORWARD, (seconds - waiting) * S),
                0,
                Map.of(Stream.GATHER, waiting * S));
    }

    /** Returns a step of some seconds, with given seconds of work, slowdown and waiting for gathers. */
    private static RunResult strategy(String kind, String kernels, int seconds, int work, int slowdown, int waiting) {
        return run(
                Map.of("strategy.kind", kind),
                kind,
                kernels,
                1,
                1536,
                seconds,
                Map.of(Work.Kind.LAYER_FORWARD, work * S),
                slowdown * S,
                Map.of(Stream.GATHER, waiting * S));
    }

    @Test
    void saysWhatElseIsNotAlike() {
        assertThat(compare(run("100 Gbit/s", "fsdp", "fsdp", 3, 8), run("100 Gbit/s", "mics", "smp", 6, 4))
                        .get(0)
                        .sentence())
                .contains(
                        "It saves 4.00 s per step, all from less kernel time. It runs with micro-batch 6 instead of 3.");
        assertThat(compare(run("100 Gbit/s", "fsdp", "eager", 3, 8), run("100 Gbit/s", "mics", "eager", 3, 4))
                        .get(0)
                        .sentence())
                .contains("It saves 4.00 s per step, all from less kernel time.")
                .doesNotContain("micro-batch");
    }

    /** 8 s for 3,072 samples are 4 s for 1,536. */
    @Test
    void stepsOfDifferentBatchesAreComparedBySamples() {
        RunResult half = run(
                Map.of("training.global_batch", 1536),
                "fsdp",
                "eager",
                3,
                1536,
                5,
                Map.of(Work.Kind.LAYER_FORWARD, 4 * S),
                0,
                Map.of(Stream.REDUCE, S));
        RunResult whole = run(
                Map.of("training.global_batch", 3072),
                "fsdp",
                "eager",
                3,
                3072,
                9,
                Map.of(Work.Kind.LAYER_FORWARD, 8 * S),
                0,
                Map.of(Stream.REDUCE, S));
        assertThat(compare(half, whole).get(0).sentence())
                .contains("is 1.11x as fast as")
                .contains("It saves 1.00 s per 3,072 samples, all from less waiting for gradient reductions.");
    }
}
