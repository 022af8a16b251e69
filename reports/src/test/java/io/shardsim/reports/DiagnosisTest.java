package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.LinkClass;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each largest loss leads to its own next setting. */
class DiagnosisTest {
    private static final long S = 1_000_000_000_000L;

    @Test
    void waitingForParametersAsksForASmallerGroup() {
        Diagnosis diagnosis = Diagnosis.of(run(256, 2, 6, 0, Map.of(Stream.GATHER, 4 * S)));
        assertThat(diagnosis.why()).contains("4.00 s of 10.0 s (40 %)", "waiting for parameters");
        assertThat(diagnosis.next()).contains("a shard group below 256", "larger micro-batch");
    }

    @Test
    void waitingForParametersInsideANodeAsksForEarlierOrFewerGathers() {
        assertThat(Diagnosis.of(run(8, 1, 6, 0, Map.of(Stream.GATHER, 4 * S))).next())
                .contains("prefetch");
        assertThat(Diagnosis.of(run(8, 4, 6, 0, Map.of(Stream.GATHER, 4 * S))).next())
                .contains("fewer accumulation steps");
    }

    @Test
    void asksForMemoryWhereNoLargerMicroBatchFits() {
        RunFacts.Strategy inOneNode = new RunFacts.Strategy("zero3", "ZeRO-3", 8);
        assertThat(Diagnosis.of(run(inOneNode, 4, true, 6, 0, Map.of(Stream.GATHER, 4 * S)))
                        .next())
                .contains("room for a larger micro-batch")
                .doesNotContain("fewer accumulation steps");
    }

    @Test
    void waitingForGradientsAsksForTwoHopsOrAccumulation() {
        assertThat(Diagnosis.of(run(256, 2, 6, 0, Map.of(Stream.REDUCE, 4 * S))).next())
                .contains("two hops");
        assertThat(Diagnosis.of(run(8, 2, 6, 0, Map.of(Stream.REDUCE, 4 * S))).next())
                .contains("a larger global batch");
    }

    @Test
    void neverAsksForWhatIsAlreadySo() {
        RunFacts.Split split = new RunFacts.Split(8, false, 2, 4, false);
        assertThat(Diagnosis.of(run(split, Map.of(Stream.TENSOR, 4 * S))).next())
                .contains("smaller tensor_parallel", "sequence_parallel");
        assertThat(Diagnosis.of(run(split, Map.of(Stream.PIPELINE_FORWARD, 4 * S)))
                        .next())
                .contains("an interleaved schedule");
        assertThat(Diagnosis.of(run(split, Map.of(Stream.CONTEXT, 4 * S))).next())
                .contains("smaller context_parallel");
        RunFacts.Split all = new RunFacts.Split(8, true, 1, 4, true);
        assertThat(Diagnosis.of(run(all, Map.of(Stream.TENSOR, 4 * S))).next())
                .contains("smaller tensor_parallel")
                .doesNotContain("sequence_parallel");
        assertThat(Diagnosis.of(run(all, Map.of(Stream.PIPELINE_FORWARD, 4 * S)))
                        .next())
                .contains("model_chunks")
                .doesNotContain("an interleaved schedule");
    }

    @Test
    void waitingForTheHostAsksForFewerOperations() {
        assertThat(Diagnosis.of(run(8, 2, 6, 0, Map.of(Stream.HOST, 4 * S))).next())
                .contains("Fewer and larger operations");
    }

    @Test
    void slowDownNeverAsksForWhatCannotBeTurned() {
        assertThat(Diagnosis.of(run(256, 1, 10, 3 * S, Map.of())).next())
                .contains("smaller shard group")
                .doesNotContain("accumulation");
        assertThat(Diagnosis.of(run(8, 2, 10, 3 * S, Map.of())).next())
                .contains("accumulation")
                .doesNotContain("shard group");
        assertThat(Diagnosis.of(run(8, 1, 10, 3 * S, Map.of())).next()).contains("SMDDP");
    }

    @Test
    void hiddenCommunicationLeavesRecomputationAndKernels() {
        assertThat(Diagnosis.of(run(8, 1, 10, 0, Map.of())).why()).contains("compute 100 % of the step");
        assertThat(Diagnosis.of(run(8, 1, 10, 0, Map.of())).next()).contains("Faster kernels");
    }

    @Test
    void nicsHeldByManySmallMessagesAreNotTheWire() {
        long wire = 10_625_000L * 900;
        assertThat(Diagnosis.of(gather(wire)).next()).contains("The wire is the limit");
        assertThat(Diagnosis.of(gather(wire / 10)).next()).contains("number of messages", "a larger size");
    }

    /** A collective of 1 s in which one NIC is held for 900 ms while it sends so many bytes. */
    private static RunResult gather(long bytes) {
        RunFacts facts = RunFacts.ofCollective(
                "s",
                Map.of(),
                SampleRuns.p4d(2),
                new RunFacts.Collective(CollectiveKind.ALL_GATHER, 1L << 20, "ring", "nccl"),
                List.of(),
                List.of(),
                List.of());
        LinkTotals nic = new LinkTotals("Node[0].Nic[0]", 0, 0, LinkClass.NIC, 1000, bytes, 9 * S / 10, 0);
        return RunResult.of(facts, new StepObservation(S, List.of(), List.of(nic), List.of(), 1, 1, 1, "d"), 1);
    }

    private static RunResult run(RunFacts.Split split, Map<Stream, Long> exposedPs) {
        return run(new RunFacts.Strategy("megatron", "Megatron-LM", 1, split, ""), 2, false, 6, 0, exposedPs);
    }

    private static RunResult run(
            int shardGroup, int accumulation, int busySeconds, long slowdownPs, Map<Stream, Long> exposedPs) {
        return run(
                new RunFacts.Strategy("zero3", "ZeRO-3", shardGroup),
                accumulation,
                false,
                busySeconds,
                slowdownPs,
                exposedPs);
    }

    /** A step of 10 s on 256 GPUs that was busy for the given seconds, slow-down included. */
    private static RunResult run(
            RunFacts.Strategy strategy,
            int accumulation,
            boolean largestMicroBatch,
            int busySeconds,
            long slowdownPs,
            Map<Stream, Long> exposedPs) {
        RunFacts facts = RunFacts.ofTraining(
                "s",
                Map.of(),
                SampleRuns.p4d(32),
                strategy,
                new RunFacts.Training(
                        "m",
                        1_000_000_000,
                        0,
                        2048,
                        1536,
                        1,
                        accumulation,
                        Recomputation.NONE,
                        largestMicroBatch,
                        312e12),
                new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 1L << 30), 4L << 30),
                List.of(),
                List.of(),
                List.of());
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
