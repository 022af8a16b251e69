package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.LinkClass;
import java.util.List;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Compares figures with values computed by hand or published by others. */
class ComputingTest {
    private static final Offset<Double> ROUNDING = within(1e-9);

    @Test
    void teraflopsFollowTheConventionOfAwsBenchmark() {
        // 73.52 samples/s x 2048 tokens on 256 GPUs are 588.16 tokens/s; the blog gives 141 TFLOPS for a 30B model.
        ModelFlopsUtilization flops =
                ModelFlopsUtilization.of(588.16, 29_960_000_000L, 29_960_000_000L, 0, Recomputation.ALL, 312e12);
        assertThat(flops.teraflopsPerGpu())
                .isCloseTo(8 * 29.96e9 * 588.16 / 1e12, ROUNDING)
                .isCloseTo(141, within(0.1));
        assertThat(flops.convention()).contains("hardware", "8 x");
        assertThat(flops.hfu()).isCloseTo(flops.teraflopsPerGpu() / 312, ROUNDING);
        assertThat(flops.mfu()).isCloseTo(flops.hfu() * 3 / 4, ROUNDING);
        assertThat(flops.modelTeraflopsPerGpu())
                .as("8 N is AWS's")
                .isCloseTo(flops.teraflopsPerGpu() * 3 / 4, ROUNDING);
    }

    @Test
    void hardwareFlopsAreFourThirdsWithFullCheckpointing() {
        double attention = ModelFlopsUtilization.attentionFlopsPerToken(48, 7168, 2048);
        assertThat(attention).isEqualTo(12.0 * 48 * 7168 * 2048);
        ModelFlopsUtilization full =
                ModelFlopsUtilization.of(100, 1_000_000_000, 1_000_000_000, attention, Recomputation.ALL, 1e15);
        assertThat(full.hfu()).isCloseTo(full.mfu() * 4 / 3, ROUNDING);
        ModelFlopsUtilization none =
                ModelFlopsUtilization.of(100, 1_000_000_000, 1_000_000_000, attention, Recomputation.NONE, 1e15);
        assertThat(none.hfu()).isEqualTo(none.mfu()).isEqualTo(100 * (6e9 + attention) / 1e15);
        ModelFlopsUtilization selective =
                ModelFlopsUtilization.of(100, 1_000_000_000, 1_000_000_000, attention, new Recomputation(0, 1), 1e15);
        assertThat(selective.hfu()).isCloseTo(100 * (6e9 + attention * 4 / 3) / 1e15, ROUNDING);
        assertThat(none.convention()).contains("6 x");
        ModelFlopsUtilization half = ModelFlopsUtilization.of(
                100, 1_000_000_000, 1_000_000_000, attention, new Recomputation(0.5, 0.5), 1e15);
        assertThat(half.hfu()).isCloseTo((full.hfu() + none.hfu()) / 2, ROUNDING);
        assertThat(half.convention()).contains("hardware", "7 x");
    }

    @Test
    void aFrozenParameterCountsFour() {
        ModelFlopsUtilization adapters =
                ModelFlopsUtilization.of(100, 1_000_000_000, 10_000_000, 0, Recomputation.NONE, 1e15);
        assertThat(adapters.mfu()).isCloseTo(100 * (4 * 0.99e9 + 6 * 0.01e9) / 1e15, ROUNDING);
        assertThat(adapters.convention()).contains("4.02 x");
    }

    @Test
    void busBandwidthFollowsNcclTests() {
        BusBandwidth reduce = BusBandwidth.of(CollectiveKind.ALL_REDUCE, 16_000_000_000L, 16, 2);
        assertThat(reduce.algorithmBytesPerSecond()).isEqualTo(8e9);
        assertThat(reduce.busBytesPerSecond()).isEqualTo(15e9);
        assertThat(BusBandwidth.of(CollectiveKind.ALL_GATHER, 16_000_000_000L, 16, 2)
                        .busBytesPerSecond())
                .isEqualTo(7.5e9);
        assertThat(BusBandwidth.of(CollectiveKind.BROADCAST, 16_000_000_000L, 16, 2)
                        .busBytesPerSecond())
                .isEqualTo(8e9);
    }

    @Test
    void daysAreThoseThatAwsQuotes() {
        // The blog gives 7.69 days for 100 and 38.43 for 500 billion tokens at 73.52 samples/s of 2048 tokens.
        List<TrainingCost> costs = TrainingCost.quoted(2048, 73.52 * 2048, 32, 32.77);
        assertThat(costs.get(0).days()).isCloseTo(7.69, within(0.005));
        assertThat(costs.get(1).days()).isCloseTo(38.43, within(0.005));
        assertThat(costs.get(1).usd()).isCloseTo(costs.get(1).days() * 24 * 32 * 32.77, within(1e-6));
        assertThat(TrainingCost.of(1e9, 1e6, 1, Double.NaN).hasPrice()).isFalse();
    }

    @Test
    void linksSumByClassAndCountIdlePorts() {
        List<LinkTotals> links = List.of(
                new LinkTotals("Node[0].Nic[0]", 0, 0, LinkClass.NIC, 10, 1000, 500, 70),
                new LinkTotals("Node[1].Nic[0]", 0, 1, LinkClass.NIC, 0, 0, 0, 0),
                new LinkTotals("Fabric.Leaf[1]", 0, 1, LinkClass.NIC, 10, 1000, 250, 30),
                new LinkTotals("Node[0].Nic[0]", 1, 0, LinkClass.PCIE, 10, 1000, 100, 0));
        List<LinkUse> uses = LinkUse.of(links, 2, 1000);
        assertThat(uses).extracting(LinkUse::linkClass).containsExactly(LinkClass.PCIE, LinkClass.NIC);
        LinkUse nic = uses.get(1);
        assertThat(nic.ports()).isEqualTo(3);
        assertThat(nic.chunks()).isEqualTo(20);
        assertThat(nic.bytes()).isEqualTo(2000);
        assertThat(nic.utilization()).isCloseTo(0.25, ROUNDING);
        assertThat(nic.busiestUtilization()).isEqualTo(0.5);
        assertThat(nic.busiestPort()).isEqualTo("Node[0].Nic[0].Port[0]");
        assertThat(nic.queueingSeconds()).isCloseTo(100e-12, within(1e-20));
        assertThat(nic.utilizationByNode()).containsExactly(0.5, 0.125);
        assertThat(LinkUse.bytesSentByNics(links)).isEqualTo(1000);
    }

    @Test
    void gapsAreChargedToWhatEndedThem() {
        List<OperationSpan> timeline = List.of(
                new OperationSpan(0, Stream.GATHER, "gather layer", 0, 30),
                new OperationSpan(1, Stream.COMPUTE, "forward layer 0", 30, 40),
                new OperationSpan(2, Stream.GATHER, "gather layer", 30, 60),
                new OperationSpan(3, Stream.COMPUTE, "forward layer 1", 60, 90),
                new OperationSpan(4, Stream.REDUCE, "reduce-scatter bucket", 60, 95),
                new OperationSpan(5, Stream.COMPUTE, "optimizer", 95, 99));
        List<ExposedCommunication.Culprit> culprits = ExposedCommunication.culprits(timeline);
        assertThat(culprits)
                .containsExactly(
                        new ExposedCommunication.Culprit("gather layer", Stream.GATHER, 50 * 1e-12, 2),
                        new ExposedCommunication.Culprit("reduce-scatter bucket", Stream.REDUCE, 5 * 1e-12, 1));
    }

    @Test
    void gapsAreSharedAlongTheirCriticalPath() {
        List<OperationSpan> timeline = List.of(
                new OperationSpan(0, Stream.COMPUTE, "backward", 0, 10),
                new OperationSpan(1, Stream.REDUCE, "reduce-scatter bucket", 5, 40),
                new OperationSpan(2, Stream.HOST, "wait for gradients", 40, 40),
                new OperationSpan(3, Stream.GATHER, "gather parameters", 40, 90),
                new OperationSpan(4, Stream.HOST, "issue modules", 40, 60),
                new OperationSpan(5, Stream.GATHER, "copy out of flat buffer", 90, 92),
                new OperationSpan(6, Stream.COMPUTE, "forward", 92, 99));
        assertThat(ExposedCommunication.culprits(timeline))
                .containsExactly(
                        new ExposedCommunication.Culprit("gather parameters", Stream.GATHER, 50 * 1e-12, 1),
                        new ExposedCommunication.Culprit("reduce-scatter bucket", Stream.REDUCE, 30 * 1e-12, 1),
                        new ExposedCommunication.Culprit("copy out of flat buffer", Stream.GATHER, 2 * 1e-12, 1));
    }

    @Test
    void whatRunsAfterComputeIsWaitedForToo() {
        List<OperationSpan> timeline = List.of(
                new OperationSpan(0, Stream.COMPUTE, "optimizer", 0, 10),
                new OperationSpan(1, Stream.GATHER, "gather persistent parameters", 10, 50));
        assertThat(ExposedCommunication.culprits(timeline))
                .containsExactly(
                        new ExposedCommunication.Culprit("gather persistent parameters", Stream.GATHER, 40 * 1e-12, 1));
    }

    @Test
    void namesAreShortWhereThatIsEnough() {
        RunFacts.Strategy mics = SampleRuns.strategy("mics", "MiCS (SMP sharded data parallel)", 128);
        assertThat(mics.label(256)).isEqualTo("MiCS (SMP sharded data parallel), shard group 128");
        assertThat(mics.shortLabel(256)).isEqualTo("MiCS (shard group 128)");
        assertThat(SampleRuns.strategy("fsdp", "PyTorch FSDP, full shard", 256).shortLabel(256))
                .isEqualTo("PyTorch FSDP");
    }

    @Test
    void namesSayHowTheModelIsSplit() {
        StateHolders all = new StateHolders(256, 8);
        RunFacts.Split tensor = new RunFacts.Split(8, true, 1, 1, 1, 1, false);
        assertThat(new RunFacts.Strategy("zero3", "DeepSpeed ZeRO-3", 32, all, tensor, "").shortLabel(256))
                .as("a group of all data-parallel ranks is no choice")
                .isEqualTo("DeepSpeed ZeRO-3, tensor parallel 8, sequence parallel");
        assertThat(new RunFacts.Strategy("mics", "MiCS", 16, all, new RunFacts.Split(2, false, 2, 1, 1, 4, false), "")
                        .shortLabel(256))
                .isEqualTo("MiCS, tensor parallel 2, context parallel 2, pipeline parallel 4 (shard group 16)");
    }

    @Test
    void efficiencyIsPerGpuAgainstTheSmallestClusterOnWhichAllSeriesHaveRoom() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        RunResult base = sweep.runs().get(3);
        RunResult large = sweep.runs().get(12);
        // FSDP does not fit on 16 GPUs, so the base of all series is 32.
        assertThat(base.step().scaling()).isEqualTo(new ScalingEfficiency(1, true, 32, false, ""));
        assertThat(large.label()).isEqualTo("ZeRO-3");
        assertThat(large.gpus()).isEqualTo(256);
        assertThat(large.step().scaling().efficiency())
                .isCloseTo(base.step().stepSeconds() / large.step().stepSeconds() / 8, ROUNDING);
        assertThat(sweep.runs())
                .filteredOn(RunResult::fits)
                .allSatisfy(
                        run -> assertThat(run.step().scaling().baselineGpus()).isEqualTo(32));
        assertThat(SampleRuns.single("s").runs().get(0).step().scaling()).isNull();
    }

    /** ZeRO-3 is tight on 16 GPUs, and FSDP everywhere. */
    @Test
    void whatHasNoRoomIsNeitherTheBaseNorTheFastestWhileAnotherHas() {
        List<RunResult> all =
                SampleRuns.sweep("s").runs().stream().filter(RunResult::fits).toList();
        List<RunResult> some = all.stream()
                .map(run -> run.label().equals("FSDP") || (run.label().equals("ZeRO-3") && run.gpus() == 16)
                        ? SampleRuns.tight(run)
                        : run)
                .toList();
        ScenarioResult sweep = ScenarioResult.of("s", some);
        assertThat(sweep.runs())
                .filteredOn(run -> !run.label().equals("FSDP"))
                .allSatisfy(
                        run -> assertThat(run.step().scaling().baselineGpus()).isEqualTo(32));
        assertThat(sweep.runs())
                .filteredOn(run -> run.label().equals("FSDP"))
                .hasSize(4)
                .allSatisfy(run -> assertThat(run.scaling()).isNull());
        ScenarioResult onlyMics = ScenarioResult.of(
                "s",
                all.stream()
                        .map(run -> run.label().startsWith("MiCS") && run.gpus() < 64 ? run : SampleRuns.tight(run))
                        .toList());
        RunResult fastest = Objects.requireNonNull(onlyMics.fastest());
        assertThat(fastest.label()).startsWith("MiCS");
        assertThat(fastest.gpus()).isEqualTo(32);
        assertThat(onlyMics.cheapest().isTight()).isFalse();
        assertThat(onlyMics.front()).isNotEmpty().noneMatch(RunResult::isTight);
        assertThat(onlyMics.byDays().get(0)).isSameAs(fastest);
        assertThat(StrategyComparison.of(onlyMics))
                .noneMatch(one -> one.fast().isTight() && !one.slow().isTight());
        ScenarioResult noneHasRoom =
                ScenarioResult.of("s", all.stream().map(SampleRuns::tight).toList());
        assertThat(noneHasRoom.fastest()).isNotNull();
        assertThat(noneHasRoom.runs())
                .allSatisfy(
                        run -> assertThat(run.step().scaling().baselineGpus()).isEqualTo(32));
    }

    @Test
    void seriesAreNamedByWhatTellsThemApart() {
        assertThat(SampleRuns.sweep("s").series().keySet()).containsExactly("ZeRO-3", "FSDP", "MiCS (shard group 128)");
        ScenarioResult sweep = SampleRuns.sweep("s");
        assertThat(sweep.names().withGpus(sweep.runs().get(2))).isEqualTo("MiCS, 16 GPUs");
        assertThat(sweep.names().withGpus(sweep.runs().get(14))).isEqualTo("MiCS (shard group 128), 256 GPUs");
    }

    @Test
    void collectivesAreNamedWithoutAnAlgorithmThatChangesAlongTheSeries() {
        assertThat(SampleRuns.collectives("s").series().keySet()).containsExactly("size 32 MiB", "size 64 MiB");
        assertThat(SampleRuns.collective("s").series().keySet()).containsExactly("all_reduce, ring");
    }

    @Test
    void comparisonNamesItsPartsTheLargestFirst() {
        StrategyComparison comparison =
                StrategyComparison.of(SampleRuns.sweep("s")).get(0);
        assertThat(comparison.faster()).isEqualTo("MiCS (shard group 128)");
        assertThat(comparison.slower()).isEqualTo("ZeRO-3");
        assertThat(comparison.gpus()).isEqualTo(256);
        assertThat(comparison.speedUp()).isCloseTo(29.3 / 17.6, within(0.01));
        assertThat(comparison.sentence())
                .contains(
                        "11.8 s per step: 11.7 s less waiting for parameter gathers, 0.1 s less waiting for gradient reductions.");
        assertThat(StrategyComparison.of(SampleRuns.single("s"))).isEmpty();
    }

    @Test
    void exposedCommunicationIsWhatComputeWaitedForCollectives() {
        RunResult run = SampleRuns.sweep("s").runs().get(12);
        StepBreakdown b = run.step().breakdown();
        assertThat(run.step().exposed().seconds())
                .isEqualTo(b.exposedSeconds(Stream.GATHER) + b.exposedSeconds(Stream.REDUCE));
        double charged = run.step().exposed().culprits().stream()
                .mapToDouble(ExposedCommunication.Culprit::seconds)
                .sum();
        assertThat(charged).isCloseTo(run.step().exposed().seconds(), within(1e-9));
    }
}
