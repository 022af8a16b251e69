package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.LinkClass;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each largest loss has its own sentence, and the next setting is the one that gained in a trial. */
class DiagnosisTest {
    private static final long S = 1_000_000_000_000L;
    private static final MemoryFit ROOM = new MemoryFit(6, 7, 8);

    @Test
    void saysWhatComputeWaitsFor() {
        assertThat(Diagnosis.of(run(6, 0, Map.of(Stream.GATHER, 4 * S))).why())
                .isEqualTo("Compute waits 4.00 s of 10.0 s (40 %) for parameter gathers.");
        assertThat(Diagnosis.of(run(6, 0, Map.of(Stream.REDUCE, 4 * S))).why()).contains("gradient reductions");
        assertThat(Diagnosis.of(run(6, 0, Map.of(Stream.TENSOR, 4 * S))).why()).contains("tensor-parallel group");
        assertThat(Diagnosis.of(run(6, 0, Map.of(Stream.HOST, 4 * S))).why()).contains("the host");
    }

    @Test
    void saysWhatSlowsKernelsDown() {
        assertThat(Diagnosis.of(run(10, 3 * S, Map.of())).why())
                .isEqualTo("Overlapped communication slows the kernels down by 3.00 s of 10.0 s (30 %).");
    }

    @Test
    void hiddenCommunicationLeavesComputing() {
        assertThat(Diagnosis.of(run(10, 0, Map.of())).why())
                .isEqualTo("Compute takes 100 % of the step and hides the communication.");
    }

    @Test
    void advisesNothingThatWasNotTried() {
        Diagnosis diagnosis = Diagnosis.of(run(6, 0, Map.of(Stream.GATHER, 4 * S)));
        assertThat(diagnosis.next()).isEmpty();
        assertThat(Diagnosis.further(run(6, 0, Map.of()))).isEmpty();
    }

    /** The run reaches 153.6 samples/s. */
    @Test
    void theLargestGainComesFirstAndNoneBelowTwoPercent() {
        RunResult run = run(6, 0, Map.of(Stream.GATHER, 4 * S))
                .withTried(SampleRuns.trials(
                        trial("Larger prefetch", "strategy.prefetch_bucket_size", 156.6),
                        trial("Shard group of 8", "strategy.shard_group", 160),
                        trial("Flash attention", "training.attention", 307.2),
                        trial("Shard group of 16", "strategy.shard_group", 170),
                        trial("torch.compile", "strategy.framework_profile", 100),
                        new Trial(
                                "No recomputation",
                                Map.of("training.activation_checkpointing", "none"),
                                new MemoryFit(9, 9, 8),
                                0,
                                1)));
        assertThat(Diagnosis.of(run).next())
                .isEqualTo("Flash attention: 307 samples/s (+100 %). --set training.attention=x");
        assertThat(Diagnosis.further(run))
                .as("one value of a setting, and no gain below 2 %")
                .containsExactly("Or: Shard group of 16: 170 samples/s (+11 %). --set strategy.shard_group=x");
    }

    @Test
    void saysWhenNothingThatWasTriedGains() {
        RunResult run = run(6, 0, Map.of())
                .withTried(SampleRuns.trials(
                        trial("Flash attention", "training.attention", 156),
                        trial("Backward prefetch", "strategy.backward_prefetch", 150)));
        assertThat(Diagnosis.of(run).next()).isEqualTo("Of 2 settings tried, none gains 2 %.");
    }

    /** A setting that was never run has no effect to report. */
    @Test
    void settingsThatDoNotFitAreNoneThatWereTried() {
        Trial large =
                new Trial("Kept", Map.of("training.activation_checkpointing", "none"), new MemoryFit(9, 9, 8), 0, 1);
        assertThat(Diagnosis.of(run(6, 0, Map.of()).withTried(SampleRuns.trials(large, large)))
                        .next())
                .isEqualTo("2 settings that might gain do not fit.");
        assertThat(Diagnosis.of(run(6, 0, Map.of())
                                .withTried(SampleRuns.trials(large, trial("Once", "strategy.no_sync", 150))))
                        .next())
                .isEqualTo("Of 1 setting tried, none gains 2 %. 1 setting that might gain does not fit.");
    }

    @Test
    void saysTheMicroBatchThatASettingMakesRoomFor() {
        RunResult run = run(6, 0, Map.of())
                .withTried(SampleRuns.trials(
                        new Trial("Flash attention", Map.of("training.attention", "flash"), ROOM, 307.2, 6)));
        assertThat(Diagnosis.of(run).next()).startsWith("Flash attention and micro-batch 6: 307 samples/s (+100 %).");
    }

    @Test
    void adviceThatFitsTightlySaysSo() {
        MemoryFit tight = new MemoryFit(38L << 30, 41L << 30, 40L << 30);
        RunResult run = run(6, 0, Map.of())
                .withTried(SampleRuns.trials(new Trial("Once", Map.of("strategy.no_sync", "true"), tight, 307.2, 1)));
        assertThat(Diagnosis.of(run).next())
                .endsWith("It fits tightly (needs 38.0 of 40.0 GiB per GPU, 41.0 GiB with fragmentation)."
                        + " --set strategy.no_sync=true");
    }

    /** Parts that a shell or a narrow terminal would separate stay together. */
    @Test
    void adviceCanBePasted() {
        Map<String, String> block = Map.of("strategy", "{kind: fsdp2, shard_group: 8}");
        RunResult run = run(6, 0, Map.of()).withTried(SampleRuns.trials(new Trial("FSDP2", block, ROOM, 307.2, 1)));
        assertThat(Diagnosis.of(run).next()).endsWith(" --set 'strategy={kind: fsdp2, shard_group: 8}'");
        for (int width = 20; width < 100; width++) {
            Paragraphs narrow = new Paragraphs(width).line("Set more. --set training.attention=flash");
            assertThat(narrow.toString()).contains("--set training.attention=flash");
        }
    }

    private static Trial trial(String title, String setting, double samplesPerSecond) {
        return new Trial(title, Map.of(setting, "x"), ROOM, samplesPerSecond, 1);
    }

    @Test
    void nicsHeldByManySmallMessagesAreNotTheWire() {
        long wire = 10_625_000L * 900;
        assertThat(Diagnosis.of(gather(wire)).why()).endsWith("Link bandwidth is the limit.");
        assertThat(Diagnosis.of(gather(wire / 10)).why()).contains("The message rate is the limit");
    }

    /** Returns a collective of 1 s in which one NIC is held for 900 ms and sends a number of bytes. */
    private static RunResult gather(long bytes) {
        RunFacts facts = RunFacts.of(
                "s",
                Map.of(),
                SampleRuns.p4d(2),
                new RunFacts.Collective(CollectiveKind.ALL_GATHER, 1L << 20, "ring", "nccl"),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        LinkTotals nic = new LinkTotals("Node[0].Nic[0]", 0, 0, LinkClass.NIC, 1000, bytes, 9 * S / 10, 0);
        return RunResult.of(facts, new StepObservation(S, List.of(), List.of(nic), List.of(), 1, 1, 1, "d"), 1);
    }

    /** Returns a step of 10 s on 256 GPUs that was busy for the given seconds, slowdown included. */
    private static RunResult run(int busySeconds, long slowdownPs, Map<Stream, Long> exposedPs) {
        RunFacts facts = RunFacts.of(
                "s",
                Map.of(),
                SampleRuns.p4d(32),
                new RunFacts.Sharded(
                        SampleRuns.strategy("zero3", "ZeRO-3", 256),
                        new RunFacts.Training(
                                "m",
                                RunFacts.Parameters.of(1_000_000_000),
                                0,
                                1536,
                                new Batch(2048, 1, 6),
                                Recomputation.NONE,
                                new RunFacts.Peak("bf16", 312e12)),
                        new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 1L << 30), 4L << 30)),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        RankTotals rank = new RankTotals(
                0,
                busySeconds * S
                        + exposedPs.values().stream().mapToLong(ps -> ps).sum(),
                Map.of(Stream.COMPUTE, busySeconds * S),
                Map.of(Work.Kind.LAYER_FORWARD, busySeconds * S - slowdownPs),
                slowdownPs,
                exposedPs);
        return RunResult.of(facts, new StepObservation(10 * S, List.of(rank), List.of(), List.of(), 1, 1, 1, "d"), 1);
    }
}
