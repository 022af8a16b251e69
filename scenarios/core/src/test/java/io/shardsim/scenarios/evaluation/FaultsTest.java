package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.BlastRadius;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.Clocks;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares each fault with its expected cost. */
class FaultsTest {
    private static final String TRAINING = """
            scenario: faults
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, gpus_per_node: 1, nodes: 1}
            training: {sequence_length: 1024, global_batch: 8, micro_batch: 4, attention: flash}
            strategy: {kind: ddp}
            """;
    private static final String COLLECTIVE = """
            scenario: gather
            cluster: {instance: p4d.24xlarge, gpus_per_node: 1, nics_per_node: 1, nodes: 2}
            workload: {collective: all_gather, size: 4 GiB}
            """;

    private static PointSimulation simulation;

    @BeforeAll
    static void start() {
        simulation = new PointSimulation(1, true);
    }

    @AfterAll
    static void stop() {
        simulation.close();
    }

    private static RunResult run(String text) throws Exception {
        return simulation.run(ScenarioReader.readText("a.yaml", text).points().get(0));
    }

    private static double seconds(String text) throws Exception {
        RunResult run = run(text);
        return run.training() != null
                ? run.step().stepSeconds()
                : Objects.requireNonNull(run.collective()).seconds();
    }

    /** A single GPU that takes f times as long for everything takes f times the step. */
    @ParameterizedTest
    @ValueSource(doubles = {1.1, 1.5, 2, 3})
    void aSlowGpuAloneTakesItsFactor(double factor) throws Exception {
        double usual = seconds(TRAINING);
        assertThat(seconds(TRAINING + "faults: {slow_gpu: " + factor + "}\n") / usual)
                .isCloseTo(factor, within(1e-4));
    }

    /** If n GPUs average gradients, all wait for the slow one: the step grows by its additional work, and no other rank computes longer. */
    @Test
    void theOthersWaitForASlowGpu() throws Exception {
        String text = TRAINING.replace("gpus_per_node: 1, nodes: 1", "nodes: 2")
                .replace("global_batch: 8", "global_batch: 128");
        RunResult usual = run(text);
        RunResult slow = run(text + "faults: {slow_gpu: 1.5}\n");
        double work = usual.step().breakdown().totalWorkSeconds();
        double longer = slow.step().stepSeconds() - usual.step().stepSeconds();
        assertThat(longer).isBetween(0.9 * 0.5 * work, 0.5 * work * 1.02);
        assertThat(slow.step().breakdown().totalWorkSeconds())
                .as("the mean over 16 ranks of which one is slow")
                .isCloseTo(work * (1 + 0.5 / 16), within(1e-3 * work));
    }

    /** If NICs are the limit, a cable at a share of its rate takes its bytes over the lower rate; everything else takes as long as before. */
    @ParameterizedTest
    @ValueSource(ints = {50, 25, 10})
    void aSlowNicTakesTheInverseOfItsRate(int gigabits) throws Exception {
        RunResult usual = run(COLLECTIVE);
        double rate = usual.facts().cluster().instance().nic().effectiveRate().bytesPerSecond();
        double bytes = usual.network().nicBytesSent() / 2.0;
        double longer = seconds(COLLECTIVE + "faults: {slow_nic: " + gigabits + " Gbit/s}\n") - seconds(COLLECTIVE);
        assertThat(longer / (bytes / rate * (100.0 / gigabits - 1))).isCloseTo(1, within(0.05));
    }

    /** If NICs are the limit and one of n is missing, a node takes at best n / (n - 1) times as long: the next NIC carries twice as much. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void withoutANicTheNextOneCarriesTwiceAsMuch(int nics) throws Exception {
        String text = COLLECTIVE.replace(
                "gpus_per_node: 1, nics_per_node: 1", "nic: 20 Gbit/s, gpus_per_node: 4, nics_per_node: " + nics);
        RunResult usual = run(text);
        RunResult lost = run(text + "faults: {lost_nic: true}\n");
        assertThat(Objects.requireNonNull(lost.collective()).seconds()
                        / Objects.requireNonNull(usual.collective()).seconds())
                .isCloseTo(2, within(0.1));
        assertThat(lost.network().nicBytesSent()).isEqualTo(usual.network().nicBytesSent());
    }

    /** A neighbour that takes the share s of the spine leaves 1 - s of it: bytes over that rate, since the NIC's time per message overlaps. */
    @ParameterizedTest
    @ValueSource(doubles = {0.2, 0.5, 0.9})
    void aNeighbourOnTheSpineLeavesTheRest(double share) throws Exception {
        RunResult usual = run(COLLECTIVE);
        double rate = usual.facts().cluster().instance().nic().effectiveRate().bytesPerSecond();
        double bytes = usual.network().nicBytesSent() / 2.0;
        assertThat(seconds(COLLECTIVE + "faults: {spine_neighbour: " + share + "}\n") / (bytes / rate / (1 - share)))
                .isCloseTo(1, within(0.01));
    }

    /** Like a neighbour, but on every leaf; nodes stay equal. */
    @ParameterizedTest
    @ValueSource(doubles = {0.2, 0.5})
    void anotherJobLeavesTheRestOfTheSpine(double share) throws Exception {
        RunResult usual = run(COLLECTIVE);
        double rate = usual.facts().cluster().instance().nic().effectiveRate().bytesPerSecond();
        double bytes = usual.network().nicBytesSent() / 2.0;
        assertThat(seconds(COLLECTIVE + "faults: {other_job: " + share + "}\n") / (bytes / rate / (1 - share)))
                .isCloseTo(1, within(0.01));
    }

    /** A cable that retransmits n times its bytes is as good as one with the (n + 1)th part of the rate. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whatIsLostIsSentAgain(int again) throws Exception {
        assertThat(seconds(COLLECTIVE + "faults: {retransmitted: " + again + "}\n"))
                .isCloseTo(seconds(COLLECTIVE + "faults: {slow_nic: " + 100 / (again + 1) + " Gbit/s}\n"), within(1e-9))
                .isGreaterThan(seconds(COLLECTIVE + "faults: {retransmitted: 0.05}\n"))
                .isGreaterThan(seconds(COLLECTIVE));
    }

    /** One outage of a NIC costs its duration; a NIC that is down for a share of the time has the rest of its rate. */
    @Test
    void aFlappingNicCarriesNothingWhileItIsDown() throws Exception {
        double usual = seconds(COLLECTIVE);
        assertThat(seconds(COLLECTIVE + "faults: {nic_down: 50 ms, nic_down_every: 100 s}\n") - usual)
                .isCloseTo(0.05, within(1e-3));
        assertThat(seconds(COLLECTIVE + "faults: {nic_down: 1 ms, nic_down_every: 5 ms}\n") / usual)
                .isCloseTo(1.25, within(0.02));
    }

    /** Terminal, brief and full, and report. */
    @Test
    void whatIsReportedNamesTheFaultsInForce() throws Exception {
        ScenarioResult training = ScenarioResult.of("a", List.of(run(TRAINING + "faults: {slow_gpu: 1.5}\n")));
        ScenarioResult bare =
                ScenarioResult.of("a", List.of(run(COLLECTIVE + "faults: {nic_down: 2 s, nic_down_every: 60 s}\n")));
        assertThat(Subject.of(training)).contains("faults: slow_gpu 1.5");
        assertThat(Subject.of(bare)).contains("faults: nic_down 2 s and nic_down_every 60 s");
        for (TextStyle.Detail detail : TextStyle.Detail.values()) {
            TextStyle style = new TextStyle(200, false, detail);
            assertThat(SummaryTable.write(training, style))
                    .contains(", faults: slow_gpu 1.5\n", "The faults cost ", ". Blast radius: ");
            assertThat(SummaryTable.write(bare, style))
                    .contains("Node[0].Nic[0] is the limit: it is down 9")
                    .doesNotContain("No link is the limit");
        }
        ScenarioResult swept = ScenarioResult.of(
                "a",
                List.of(
                        run(TRAINING + "faults: {slow_gpu: 1.5, slow_host: 1.1}\n"),
                        run(TRAINING + "faults: {slow_gpu: 2, slow_host: 1.1}\n")));
        assertThat(Subject.of(swept)).contains("faults: slow_host 1.1");
    }

    /** The NICs of a single node carry nothing; a NIC behind a slower PCIe link delays nobody. */
    @ParameterizedTest
    @ValueSource(strings = {"lost_nic: true", "slow_nic: 1 Gbit/s", "nic_down: 1 s, nic_down_every: 60 s"})
    void aFaultThatCannotActIsSaid(String fault) throws Exception {
        String none = "The faults have no effect: this run does not wait for anything they slow down.";
        String oneNode = COLLECTIVE.replace("gpus_per_node: 1, nics_per_node: 1, nodes: 2", "nodes: 1");
        for (String text : new String[] {oneNode, TRAINING}) {
            assertThat(SummaryTable.write(
                            ScenarioResult.of("a", List.of(run(text + "faults: {" + fault + "}\n"))),
                            TextStyle.plain(160)))
                    .contains(none);
        }
        assertThat(Objects.requireNonNull(run(COLLECTIVE + "faults: {retransmitted: 1}\n")
                                .facts()
                                .radius())
                        .longerPs())
                .isPositive();
    }

    /** Only one of several short steps has an outage: a training takes its steps, plus the cost of each outage. */
    @Test
    void aTrainingTakesItsStepsAndWhatOutagesCost() throws Exception {
        String text = TRAINING.replace("gpus_per_node: 1, nodes: 1", "gpus_per_node: 1, nodes: 2")
                        .replace("global_batch: 8", "global_batch: 16")
                + "checkpoint: {to: s3, every: 500}\n";
        RunResult usual = run(text);
        for (String every : new String[] {"1 s", "60 s", "3000 s"}) {
            RunResult flaps = run(text + "faults: {nic_down: 200 ms, nic_down_every: " + every + "}\n");
            double period = Double.parseDouble(every.replace(" s", ""));
            double outage = flaps.step().stepSeconds() - usual.step().stepSeconds();
            double step = flaps.meanStepSeconds();
            assertThat(16 / flaps.step().samplesPerSecond()).isCloseTo(step, within(1e-12));
            assertThat(outage).isBetween(0.05, 0.2);
            assertThat(period)
                    .as("steps of a period without outages, and one outage")
                    .isCloseTo(period / step * usual.step().stepSeconds() + outage, within(1e-9 * period));
            for (int i = 0; i < 2; i++) {
                assertThat(flaps.step().costs().get(i).days()
                                / usual.step().costs().get(i).days())
                        .isCloseTo(step / usual.step().stepSeconds(), within(1e-9));
            }
            assertThat(Objects.requireNonNull(flaps.cost()).days())
                    .as("with checkpoints")
                    .isBetween(
                            flaps.step().costs().get(1).days(),
                            1.2 * flaps.step().costs().get(1).days());
            assertThat(ResultsJson.write(ScenarioResult.of("a", List.of(flaps))))
                    .contains("\"mean_step_seconds\" : "
                            + new BigDecimal(step)
                                    .round(new MathContext(12))
                                    .stripTrailingZeros()
                                    .toPlainString());
            assertThat(SummaryTable.write(ScenarioResult.of("a", List.of(flaps)), TextStyle.plain(160)))
                    .contains("The average step takes " + Quantities.seconds(step));
        }
        RunResult often = run(text + "faults: {nic_down: 20 ms, nic_down_every: 50 ms}\n");
        assertThat(16 / often.step().samplesPerSecond())
                .as("a step with several outages is like any other")
                .isCloseTo(often.step().stepSeconds(), within(0.1 * often.step().stepSeconds()));
        assertThat(Objects.requireNonNull(often.facts().tried().mean()).sentence())
                .startsWith("Outages: one every 50.0 ms costs 9");
    }

    /** A step resumes after an outage: neither shortcuts nor threads change it. */
    @Test
    void faultsOfLinksAreTheSameHoweverTheyAreSimulated() throws Exception {
        String text = TRAINING.replace("gpus_per_node: 1, nodes: 1", "nodes: 4")
                        .replace("global_batch: 8", "global_batch: 256")
                        .replace("kind: ddp", "kind: fsdp")
                + "faults: {nic_down: 3 ms, nic_down_every: 20 ms, retransmitted: 0.1, other_job: 0.2}\n";
        RunResult shortened = run(text);
        assertThat(shortened.step().stepSeconds())
                .isGreaterThan(run(text.replaceFirst("faults:.*\n", "")).step().stepSeconds());
        try (PointSimulation whole = new PointSimulation(2, false)) {
            assertThat(whole.run(ScenarioReader.readText("a.yaml", text)
                                    .points()
                                    .get(0))
                            .digest())
                    .isEqualTo(shortened.digest());
        }
    }

    /** A single GPU takes as long as its own clock gives; of several that average gradients, all take as long as the slowest. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(longs = {0, 1, 2, 3, 4})
    void allWaitForTheSlowestClock(long seed) throws Exception {
        String faults = "faults: {clock_spread: 0.05, clock_seed: " + seed + "}\n";
        double[] durations = new Clocks(0.05, seed).durations(16);
        assertThat(seconds(TRAINING + faults) / seconds(TRAINING)).isCloseTo(durations[0], within(1e-3));
        String text = TRAINING.replace("gpus_per_node: 1, nodes: 1", "nodes: 2")
                .replace("global_batch: 8", "global_batch: 128");
        RunResult usual = run(text);
        RunResult spread = run(text + faults);
        double work = usual.step().breakdown().totalWorkSeconds();
        double longer = spread.step().stepSeconds() - usual.step().stepSeconds();
        double slowest = Arrays.stream(durations).max().orElseThrow();
        assertThat(longer / work)
                .as("but for what overlapped collectives take from kernels")
                .isBetween(0.85 * (slowest - 1), 1.02 * (slowest - 1));
        assertThat(spread.step().breakdown().totalWorkSeconds() / work)
                .isCloseTo(Arrays.stream(durations).average().orElseThrow(), within(1e-3));
        assertThat(run(text + faults).digest()).isEqualTo(spread.digest());
    }

    @Test
    void aSlowNicUnderClusterIsTheSame() throws Exception {
        assertThat(run(COLLECTIVE + "faults: {slow_nic: 50 Gbit/s}\n").digest())
                .isEqualTo(run(COLLECTIVE.replace("nodes: 2", "nodes: 2, slow_nic: 50 Gbit/s"))
                        .digest());
    }

    /** If kernels are so short that the host is the limit, f times the host time takes f times the step. */
    @Test
    void aSlowHostTakesItsFactorWhereItIsTheLimit() throws Exception {
        String tiny =
                TRAINING.replace("hidden: 2048", "hidden: 128").replace("sequence_length: 1024", "sequence_length: 64");
        assertThat(seconds(tiny + "faults: {slow_host: 2}\n") / seconds(tiny))
                .as("but for the optimizer's kernels")
                .isBetween(1.8, 2.0);
        assertThat(seconds(TRAINING + "faults: {slow_host: 1.05}\n") / seconds(TRAINING))
                .as("long kernels hide it")
                .isCloseTo(1, within(0.02));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {slow_gpu: 2}\n"))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("slow_gpu has no effect on a bare collective");
        assertThatThrownBy(() -> run(TRAINING + "faults: {slow_gpu: 0.5}\n")).hasMessageContaining("slow_gpu");
        assertThatThrownBy(() -> run(COLLECTIVE.replace("nodes: 2", "nodes: 2, slow_nic: 50 Gbit/s")
                        + "faults: {slow_nic: 50 Gbit/s}\n"))
                .hasMessageContaining("slow_nic under cluster and under faults; remove one");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {slow_nic: 500 Gbit/s}\n"))
                .hasMessageContaining("slow_nic 62500 MB/s > nic 12500 MB/s");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {lost_nic: true}\n"))
                .hasMessageContaining("lost_nic leaves nodes with one NIC without any");
        assertThatThrownBy(() -> run(COLLECTIVE.replace("nics_per_node: 1", "nics_per_node: 2")
                        + "faults: {lost_nic: true, slow_nic: 50 Gbit/s}\n"))
                .hasMessageContaining("lost_nic and slow_nic are the same NIC");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {nic_down: 1 s}\n"))
                .hasMessageContaining("nic_down and nic_down_every go together; write both");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {nic_down: 1 s, nic_down_every: 1 s}\n"))
                .hasMessageContaining("so the NIC is never up; write a shorter nic_down");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {other_job: 0.3, spine_neighbour: 0.3}\n"))
                .hasMessageContaining("other_job already slows every leaf that spine_neighbour slows; remove one");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {other_job: 1}\n"))
                .hasMessageContaining("other_job 1 > 0.99");
        assertThatThrownBy(() -> run(COLLECTIVE.replace("nics_per_node: 1", "nics_per_node: 2")
                        + "faults: {lost_nic: true, retransmitted: 0.1}\n"))
                .hasMessageContaining("retransmitted and lost_nic are the same NIC");
        assertThatThrownBy(() -> run(COLLECTIVE + "faults: {clock_spread: 0.1}\n"))
                .hasMessageContaining("clock_spread has no effect on a bare collective");
    }

    /**
     * A slow GPU of a shard group works f - 1 times its work longer. Its group waits as long inside gathers and reductions. The other groups gather
     * among themselves and wait only when gradients are summed over groups.
     */
    @ParameterizedTest
    @ValueSource(doubles = {1.25, 1.5, 2})
    void theShardGroupOfASlowGpuWaitsForGathersAndTheOthersForGradients(double factor) throws Exception {
        String text = TRAINING.replace("p4d.24xlarge, gpus_per_node: 1, nodes: 1", "p4d.24xlarge, nodes: 4")
                .replace("global_batch: 8", "global_batch: 256")
                .replace("kind: ddp", "kind: mics, shard_group: 16");
        RunResult usual = run(text);
        RunResult slow = run(text + "faults: {slow_gpu: " + factor + "}\n");
        BlastRadius radius = Objects.requireNonNull(slow.facts().radius());
        long longerPs =
                slow.step().breakdown().stepPs() - usual.step().breakdown().stepPs();
        assertThat(radius.longerPs()).isEqualTo(longerPs);
        assertThat(radius.groups())
                .extracting(
                        group -> group.ranks().size(), group -> group.ranks().get(0))
                .containsExactly(tuple(1, 0), tuple(15, 1), tuple(16, 16));
        BlastRadius.Group gpu = radius.groups().get(0);
        BlastRadius.Group group = radius.groups().get(1);
        BlastRadius.Group others = radius.groups().get(2);
        double workPs = usual.step().breakdown().totalWorkSeconds() * 1e12;
        assertThat(gpu.works()).isTrue();
        assertThat((double) gpu.worksPs()).isCloseTo((factor - 1) * workPs, within(0.05 * (factor - 1) * workPs));
        assertThat(group.waitsPs().get(Stream.GATHER)).isGreaterThan(longerPs / 4);
        assertThat(group.waitsPs().get(Stream.GATHER) + group.waitsPs().get(Stream.REDUCE))
                .isBetween((long) (0.95 * longerPs), (long) (1.05 * longerPs));
        assertThat(others.waitsPs().getOrDefault(Stream.GATHER, 0L)).isLessThan(longerPs / 100);
        assertThat(others.waitsPs().get(Stream.REDUCE)).isGreaterThan((long) (0.95 * longerPs));
        for (BlastRadius.Group one : radius.groups()) {
            assertThat(one.worksPs()
                            + one.slowedPs()
                            + one.waitsPs().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum())
                    .as("parts of what the step takes longer, but for rounded means")
                    .isCloseTo(longerPs, within(4L));
        }
        assertThat(group.worksPs()).as("they work as without the fault").isZero();
        assertThat(others.worksPs()).isZero();
        assertThat(radius.sentence())
                .contains(
                        "1 rank (0) works ", "15 ranks (1-15) wait ", "16 ranks (16-31) wait ", " longer for gradient");
        assertThat(usual.facts().radius()).isNull();
    }
}
