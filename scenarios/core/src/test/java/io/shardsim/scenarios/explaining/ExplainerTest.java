package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.evaluation.RememberedRuns;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.simulator.yaml.InputException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fault is found by the speed that it causes, and a healthy run is called healthy. */
@Tag("once")
class ExplainerTest {
    private static final RememberedRuns RUNS = new RememberedRuns();

    private static final String ZERO3 = """
            scenario: small
            model: {hidden: 2048, layers: 2, heads: 16, vocab: 32000, gated_ffn: true, ffn: 5504}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 2048, global_batch: 64, precision: bf16, attention: flash, activation_checkpointing: none}
            strategy: {kind: zero3}
            """;
    private static final String MICS =
            ZERO3.replace("kind: zero3", "kind: mics, shard_group: 16").replace("nodes: 2", "nodes: 4");
    private static final String MEGATRON = ZERO3.replace(
            "kind: zero3",
            "kind: megatron-core, tensor_parallel: 2, overlap_grad_reduce: true, overlap_param_gather: true");

    private static Explanation explain(String text, Measured measured, int threads) throws InputException {
        return explain(text, List.of(measured), threads);
    }

    private static Explanation explain(String text, List<Measured> measured, int threads) throws InputException {
        Explainer.Subject subject =
                Explainer.Subject.of(RunName.of("small.yaml"), SweptFile.readText("small.yaml", text));
        return Objects.requireNonNull(new Explainer(RUNS, threads)
                .explain(subject, Explainer.Evidence.of(measured, Set.of()), (share, what) -> {}));
    }

    private static Measured samples(double perSecond) {
        return new Measured(perSecond, Measured.Unit.SAMPLES, Map.of());
    }

    @Test
    @Tag("slow")
    void whatIsExpectedIsHealthy() throws Exception {
        Explanation explanation = explain(ZERO3, samples(1), 2);
        double healthy = explanation.logs().get(0).healthy().step().samplesPerSecond();
        double low = healthy / Math.exp(explanation.logs().get(0).expected().high());
        double high = healthy / Math.exp(explanation.logs().get(0).expected().low());
        assertThat(explain(ZERO3, samples(1.001 * low), 2).verdict()).isEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(explain(ZERO3, samples(0.999 * high), 2).verdict()).isEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(explain(ZERO3, samples(0.999 * low), 2).verdict()).isNotEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(explain(ZERO3, samples(1.001 * high), 2).verdict()).isEqualTo(Explanation.Verdict.FASTER);
        String range = "Healthy: " + Quantities.threeDigits(low) + " to " + Quantities.threeDigits(high)
                + " samples/s, simulated " + Quantities.threeDigits(healthy) + " samples/s.";
        assertThat(ExplanationText.write(explain(ZERO3, samples(healthy), 2), 80))
                .contains(range, "Healthy: simulated +0.0 % off")
                .doesNotContain("not listed");
        assertThat(ExplanationText.write(explain(ZERO3, samples(low / 1.5), 2), 80))
                .contains(range)
                .contains("Or a cause not listed here: " + KnownFault.names().size() + " faults are known.");
    }

    @Test
    @Tag("slow")
    void memoryThatIsNotAsExpectedIsToldBesideAHealthySpeed() throws Exception {
        Explanation.Log simulated = explain(ZERO3, samples(1), 2).logs().get(0);
        Measured speed = samples(simulated.healthy().step().samplesPerSecond());
        double reserved = Measured.Unit.RESERVED.of(simulated.healthy());
        Explanation same = explain(ZERO3, List.of(speed, reserved(reserved)), 2);
        Explanation more = explain(ZERO3, List.of(speed, reserved(2 * reserved)), 2);
        Explanation less = explain(ZERO3, List.of(reserved(reserved / 2), speed), 2);

        assertThat(same.verdict()).isEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(more.verdict()).isEqualTo(Explanation.Verdict.OTHER_MEMORY);
        assertThat(ExplanationText.write(more, 1000))
                .contains("The speed is healthy: simulated +0.0 % off")
                .contains(" GiB reserved is -50.0 % off, where ")
                .contains("Your run uses memory that the scenario does not.");
        assertThat(ExplanationText.write(less, 1000))
                .contains(" GiB reserved is +100.0 % off, where ", "The scenario uses memory that your run does not.");
        assertThat(ExplanationJson.write(more)).contains("\"verdict\" : \"other_memory\"", "\"as_expected\" : false");
    }

    @Test
    @Tag("slow")
    void aRangeThatNoPublishedRunHasMadeIsCalledAssumed() throws Exception {
        Explanation explanation = explain("""
                scenario: small
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: broadcast, size: 1 MiB}
                """, Measured.parse("1 x healthy"), 1);

        assertThat(explanation.verdict()).isEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(ExplanationText.write(explanation, 1000))
                .contains(
                        "-15.0 % to +15.0 % off (+: too fast) is assumed: not-validated, no published broadcast on ampere was compared.")
                .doesNotContain("80 %");
    }

    @Test
    @Tag("slow")
    void whatNoHardwareReachesIsRefused() {
        for (Measured impossible :
                List.of(Measured.parse("600000 tokens/s/GPU"), samples(1e5), Measured.parse("0.1 ms"))) {
            assertThatThrownBy(() -> explain(ZERO3, impossible, 2))
                    .isInstanceOf(InputException.class)
                    .hasMessageContaining(" takes at least ")
                    .hasMessageContaining(" TFLOPS per GPU, the peak of a100-40gb is 312; ");
        }
        assertThatThrownBy(() -> explain("""
                                scenario: small
                                cluster: {instance: p4d.24xlarge, nodes: 2}
                                workload: {collective: all_reduce, size: 1 GiB}
                                """, Measured.parse("100 GB/s busbw"), 1))
                .hasMessageContaining("100 GB/s busbw of all_reduce is more than the 93.8 that the NICs of a node in"
                        + " p4d.24xlarge carry at their line rate of 50.0 GB/s");
    }

    @Test
    @Tag("slow")
    void aSpeedOfOtherGpusThanItsUnitSaysIsAskedFor() throws Exception {
        double healthy = Measured.Unit.TOKENS.of(
                explain(ZERO3, samples(1), 2).logs().get(0).healthy());
        Measured one = new Measured(healthy / 16, Measured.Unit.TOKENS, Map.of());
        Measured ofNode = new Measured(1.05 * healthy / 2, Measured.Unit.TOKENS_PER_GPU, Map.of());
        assertThat(ExplanationText.write(explain(ZERO3, one, 2), 1000))
                .contains("Is it the speed of one of 16 GPUs? Then write '" + one.words(healthy) + "'.");
        assertThatThrownBy(() -> explain(ZERO3, ofNode, 2))
                .hasMessageContaining("if it is the total of all 16 GPUs, write '");
    }

    @Test
    @Tag("slow")
    void anAssumedRangeNamesTheRuleAndTheNearestPublishedRun() throws Exception {
        Explanation explanation = explain("""
                scenario: volta
                model: gpt2-1.5b
                cluster: {instance: p3dn.24xlarge, nodes: 1}
                training: {sequence_length: 1024, micro_batch: 1, global_batch: 8}
                strategy: {kind: zero2}
                """, Measured.parse("1 x healthy"), 1);
        assertThat(ExplanationText.write(explanation, 1000))
                .contains("is assumed: kernel-times, ", "; the nearest published run, ", ", is simulated ");
    }

    /** Recomputation costs this run less than the error of simulated speeds, so it explains no slower run. */
    @Test
    @Tag("slow")
    void aFaultWithWhichARunIsHealthyMakesNoRunUnhealthy() throws Exception {
        String one = """
                scenario: one
                model: bert-base
                cluster: {instance: 8x-rtx-4090, nodes: 1, gpus_per_node: 1}
                strategy: {kind: ddp}
                training: {sequence_length: 128, micro_batch: 32, global_batch: 32, activation_checkpointing: none}
                """;
        Explanation.Log healthy =
                explain(one, Measured.parse("1 x healthy"), 1).logs().get(0);
        double seconds = healthy.healthy().step().stepSeconds();
        Explanation slow = explain(
                one,
                new Measured(1.15 * seconds * Math.exp(healthy.expected().high()), Measured.Unit.SECONDS, Map.of()),
                1);
        assertThat(ExplanationText.write(slow, 1000)).contains("the catalog has no price for 8x-rtx-4090.");
        assertThat(slow.others().healthyToo()).anyMatch(title -> title.startsWith("Activation checkpointing on"));
        assertThat(slow.suspects())
                .filteredOn(suspect -> !suspect.runs().isEmpty())
                .noneMatch(suspect -> suspect.runs().get(0).step().stepSeconds()
                        < seconds * Math.exp(healthy.expected().high()));
    }

    private static Measured reserved(double gib) {
        return new Measured(gib, Measured.Unit.RESERVED, Map.of());
    }

    @Test
    void twoFiguresOfOneRunInOneUnitAreRefused() {
        assertThatThrownBy(() -> explain(ZERO3, List.of(samples(30), reserved(20), samples(40)), 2))
                .isInstanceOfSatisfying(
                        InputException.class,
                        refused -> assertThat(refused.problems())
                                .singleElement()
                                .hasToString("--measured: 30.0 samples/s and 40.0 samples/s are for the same run; "
                                        + "give one of them, or where they differ, for example '40.0 "
                                        + "samples/s at cluster.nodes=1'"));
    }

    /** Every fault of the catalog is found from its own speed, corrected by the mean error of simulated speeds. */
    @Test
    @Tag("slow")
    void eachFaultExplainsItsOwnSpeed() throws Exception {
        Set<String> unseen = new HashSet<>(KnownFault.names());
        for (String text : List.of(ZERO3, MICS, MEGATRON)) {
            Explanation all = explain(text, samples(1e-3), 2);
            double middle = (all.logs().get(0).expected().low()
                            + all.logs().get(0).expected().high())
                    / 2;
            for (Explanation.Suspect fault : all.suspects()) {
                if (fault.runs().isEmpty()
                        || all.logs()
                                .get(0)
                                .expected()
                                .isUsual(all.logs().get(0).healthy().step().samplesPerSecond()
                                        / fault.runs().get(0).step().samplesPerSecond()
                                        * Math.exp(middle))
                        || !unseen.remove(fault.fault())) {
                    continue;
                }
                Explanation found =
                        explain(text, samples(fault.runs().get(0).step().samplesPerSecond() / Math.exp(middle)), 2);
                assertThat(found.suspects())
                        .filteredOn(one -> one.title().equals(fault.title()))
                        .singleElement()
                        .satisfies(one -> assertThat(one.worst()).isCloseTo(0, within(1e-9)));
                assertThat(found.suspects().stream()
                                .mapToDouble(Explanation.Suspect::share)
                                .sum())
                        .isCloseTo(1, within(1e-12));
            }
        }
        assertThat(unseen)
                .as("faults that cost no more here than simulated speeds are off")
                .isSubsetOf("memory-edge", "no-gpudirect", "no-prefetch", "no-overlap", "reduce-every-micro-batch");
    }

    /** Logs print averages over minutes, and most steps have no outage. */
    @Test
    @Tag("slow")
    void aFlappingNicIsFoundByTheAverageStep() throws Exception {
        Explanation all = explain(ZERO3, samples(1e-3), 2);
        Explanation.Expected expected = all.logs().get(0).expected();
        Explanation.Suspect hidden = suspect(all, "flapping-nic");
        double average = hidden.runs().get(0).meanStepSeconds();
        assertThat(average).isLessThan(hidden.runs().get(0).step().stepSeconds() / 2);
        Measured logged = new Measured(
                average * Math.exp((expected.low() + expected.high()) / 2), Measured.Unit.SECONDS, Map.of());
        assertThat(suspect(explain(ZERO3, logged, 2), "flapping-nic").explains())
                .isTrue();
    }

    @Test
    @Tag("slow")
    void shareFollowsOddsAndFit() throws Exception {
        Explanation explanation = explain(
                ZERO3,
                samples(explain(ZERO3, samples(1), 1)
                                .logs()
                                .get(0)
                                .healthy()
                                .step()
                                .samplesPerSecond()
                        / 3),
                2);
        assertThat(explanation.suspects())
                .extracting(Explanation.Suspect::share)
                .isSortedAccordingTo((a, b) -> Double.compare(b, a));
        assertThat(explanation.suspects())
                .extracting(Explanation.Suspect::fault)
                .doesNotHaveDuplicates();
        for (Explanation.Suspect one : explanation.suspects()) {
            KnownFault fault = KnownFault.named(one.fault());
            double best = (double) fault.odds() / fault.strengths().size() * Math.exp(-one.worst() * one.worst() / 2);
            assertThat(one.likelihood())
                    .isBetween(best * (1 - 1e-12), fault.strengths().size() * best * (1 + 1e-12));
        }
    }

    /** A fault that does not change the step is no explanation: one GPU has no NIC. */
    @Test
    @Tag("slow")
    void faultsWithoutEffectAreNoSuspects() throws Exception {
        Explanation alone = explain(
                ZERO3.replace("p4d.24xlarge, nodes: 2", "p4d.24xlarge, gpus_per_node: 1, nodes: 1"), samples(1e-3), 2);
        assertThat(alone.suspects())
                .extracting(Explanation.Suspect::fault)
                .doesNotContain("tcp-over-ethernet", "one-nic", "slow-nic", "no-nvlink")
                .contains("standard-attention", "checkpointing-on");
        assertThat(alone.others().withoutEffect()).anyMatch(title -> title.startsWith("TCP sockets"));
    }

    @Test
    @Tag("slow")
    void textIsNarrowAndJsonIsEqualOnAnyThreads() throws Exception {
        Explanation one = explain(MICS, samples(20), 1);
        Explanation three = explain(MICS, samples(20), 3);
        assertThat(ExplanationJson.write(three)).isEqualTo(ExplanationJson.write(one));
        assertThat(ExplanationText.write(one, 80).lines()).allMatch(line -> line.length() <= 80);
        assertThat(ExplanationText.write(one, 80)).contains("Closest, none fits");
        assertThat(ExplanationText.write(explain(MICS, Measured.parse("0.5 x healthy"), 2), 80))
                .contains("Look at (", "Try it: --set '");
    }

    /** The pattern of a public thread: one job is 12 times too slow under FSDP and 3 times under DDP. No single fault does that. */
    @Test
    @Tag("slow")
    void whereNoFaultFitsNoneHasAShare() throws Exception {
        Explanation none = explain(
                ZERO3.replace("kind: zero3", "kind: fsdp"),
                List.of(Measured.parse("0.08 x healthy"), Measured.parse("0.35 x healthy at strategy.kind=ddp")),
                2);
        assertThat(none.verdict()).isEqualTo(Explanation.Verdict.UNEXPLAINED);
        assertThat(none.suspects()).isNotEmpty().allSatisfy(one -> {
            assertThat(one.explains()).isFalse();
            assertThat(one.share()).isZero();
        });
        // Slower than measured under DDP: no further fault can make it faster.
        assertThat(none.suspects().get(0).deviations().get(1)).isGreaterThan(-Explanation.FIT_MAX);
        String text = ExplanationText.write(none, 100);
        assertThat(text).contains("No single known fault fits the evidence.", "Closest, none fits", "step s", "Next: ");
        assertThat(text).doesNotContain("likely");
        assertThat(ExplanationJson.write(none))
                .contains("\"likely\" : null", "\"pairs\" : [", "\"next_measurement\" : \"")
                .doesNotContain("\"fits\" : true");
    }

    /** Two figures caused by a pair of faults are attributed to both of them. */
    @Test
    @Tag("slow")
    void twoFaultsAtOnceAreFound() throws Exception {
        String text = ZERO3.replace("kind: zero3", "kind: fsdp").replace("nodes: 2", "nodes: 1");
        String both = text.replace("nodes: 1", "nodes: 1, intra_node: 16 GB/s, intra_node_effective: 9 GB/s")
                + "faults: {slow_gpu: 2}\n";
        Measured.Unit unit = Measured.Unit.OF_HEALTHY;
        Map<String, String> ddp = Map.of("strategy.kind", "ddp");
        Explanation healthy = explain(text, List.of(samples(1e-3), new Measured(1e-3, Measured.Unit.SAMPLES, ddp)), 2);
        Explanation slow = explain(both, List.of(samples(1e-3), new Measured(1e-3, Measured.Unit.SAMPLES, ddp)), 2);
        Explanation found = explain(
                text,
                List.of(
                        new Measured(times(slow, 0) / times(healthy, 0), unit, Map.of()),
                        new Measured(times(slow, 1) / times(healthy, 1), unit, ddp)),
                2);
        assertThat(found.verdict()).isEqualTo(Explanation.Verdict.UNEXPLAINED);
        assertThat(found.beyond().pairs().get(0).explains()).isTrue();
        assertThat(found.beyond().pairs().get(0).fault()).contains("slow-gpu", " + ");
        assertThat(ExplanationText.write(found, 100)).contains("Two at once, fit", "Try it: --set '");
    }

    private static double times(Explanation explanation, int log) {
        return explanation.logs().get(log).healthy().step().samplesPerSecond();
    }

    /** Returns the share that a fault would have if none had to fit. */
    private static double partOfAll(Explanation explanation, String fault) {
        return suspect(explanation, fault).likelihood()
                / explanation.suspects().stream()
                        .mapToDouble(Explanation.Suspect::likelihood)
                        .sum();
    }

    @Test
    @Tag("slow")
    void whatDoesNotFitIsSaid() throws Exception {
        String large = ZERO3.replace("layers: 2", "layers: 400").replace("hidden: 2048", "hidden: 8192");
        assertThat(ExplanationText.write(explain(large, samples(1), 1), 80)).contains("Not simulated: it does not fit");
    }

    /** nccl-tests results are explained as well: GitHub issue 8391 of SkyPilot, where one of four EFA interfaces was attached. */
    @Test
    @Tag("slow")
    void aBareCollectiveIsExplained() throws Exception {
        String bare = """
                scenario: bare
                cluster: {instance: p4de.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 GiB}
                """;
        assertThat(explain(bare, Measured.parse("77.9 GB/s busbw"), 2).verdict())
                .isEqualTo(Explanation.Verdict.HEALTHY);
        Explanation slow = explain(bare, Measured.parse("20 GB/s busbw"), 2);
        assertThat(slow.verdict()).isEqualTo(Explanation.Verdict.EXPLAINED);
        assertThat(ExplanationText.write(slow, 200)).contains(" Also possible: one-nic");
        assertThat(slow.suspects())
                .filteredOn(Explanation.Suspect::explains)
                .extracting(Explanation.Suspect::title)
                .contains("Not all NICs used: one of them");
        assertThatThrownBy(() -> explain(bare, samples(1), 1))
                .hasMessageContaining("is a bare collective, of which no samples/s is logged; write '45 GB/s busbw'");
    }

    /** A second log, of one node, rules out network faults or node faults. */
    @Test
    @Tag("slow")
    void aSecondLogTellsFaultsApart() throws Exception {
        Measured both = new Measured(1e-3, Measured.Unit.SAMPLES, Map.of("cluster.nodes", "1"));
        Explanation all = explain(ZERO3, List.of(samples(1e-3), both), 2);
        Explanation.Suspect tcp = suspect(all, "tcp-over-ethernet");
        Explanation.Suspect slow = suspect(all, "slow-gpu");
        assertThat(tcp.runs().get(1).step().stepSeconds())
                .isEqualTo(all.logs().get(1).healthy().step().stepSeconds());
        double two = slow.runs().get(0).step().samplesPerSecond();
        double healthyOne = all.logs().get(1).healthy().step().samplesPerSecond();
        Explanation network =
                explain(ZERO3, List.of(samples(two), new Measured(healthyOne, both.unit(), both.at())), 2);
        assertThat(suspect(network, "slow-gpu").share())
                .isLessThan(suspect(explain(ZERO3, samples(two), 2), "slow-gpu").share());
        double slowOne = slow.runs().get(1).step().samplesPerSecond();
        Explanation node = explain(ZERO3, List.of(samples(two), new Measured(slowOne, both.unit(), both.at())), 2);
        assertThat(node.suspects())
                .filteredOn(Explanation.Suspect::explains)
                .extracting(Explanation.Suspect::fault)
                .contains("slow-gpu")
                .doesNotContain("tcp-over-ethernet", "slow-nic", "one-nic");
        assertThat(ExplanationText.write(node, 80)).contains("Healthy at cluster.nodes=1: ", "nodes=1   likely");
        assertThat(ExplanationText.write(node, 80).lines()).allMatch(line -> line.length() <= 80);
    }

    /** A node reported as healthy rules out the same faults as its speed does, and a ratio is a speed. */
    @Test
    @Tag("slow")
    void healthyIsEvidence() throws Exception {
        Explanation network = explain(
                ZERO3, List.of(Measured.parse("0.4 x healthy"), Measured.parse("healthy at cluster.nodes=1")), 2);
        Explanation.Log ratio = network.logs().get(0);
        double healthy = ratio.healthy().step().samplesPerSecond();
        double middle = (ratio.expected().low() + ratio.expected().high()) / 2;
        Explanation asSpeed = explain(ZERO3, samples(0.4 * healthy / Math.exp(middle)), 2);
        Explanation asRatio = explain(ZERO3, Measured.parse("0.4 x healthy"), 2);
        for (Explanation.Suspect one : asSpeed.suspects()) {
            assertThat(suspect(asRatio, one.fault()).share()).isCloseTo(one.share(), within(1e-9));
        }
        assertThat(suspect(network, "slow-gpu").likelihood())
                .isLessThan(suspect(asRatio, "slow-gpu").likelihood() / 10);
        assertThat(explain(ZERO3, Measured.parse("healthy"), 2).verdict()).isEqualTo(Explanation.Verdict.HEALTHY);
        assertThat(ExplanationText.write(network, 80)).contains("Healthy at cluster.nodes=1, as stated.");
    }

    /** Normal memory rules out recomputation; alone it is no evidence of a slow run. */
    @Test
    @Tag("slow")
    void memoryTellsFaultsApart() throws Exception {
        String oneNode = ZERO3.replace("nodes: 2", "nodes: 1");
        Explanation alone = explain(oneNode, Measured.parse("0.7 x healthy"), 2);
        Explanation whole =
                explain(oneNode, List.of(Measured.parse("0.7 x healthy"), Measured.parse("7 GiB reserved")), 2);
        double healthy = whole.logs().get(1).figure(whole.logs().get(1).healthy());
        double recomputed = whole.logs()
                .get(1)
                .figure(suspect(whole, "checkpointing-on").runs().get(1));
        assertThat(recomputed).isLessThan(healthy);
        Explanation less = explain(
                oneNode,
                List.of(Measured.parse("0.7 x healthy"), new Measured(recomputed, Measured.Unit.RESERVED, Map.of())),
                2);
        assertThat(partOfAll(less, "checkpointing-on")).isGreaterThan(partOfAll(alone, "checkpointing-on"));
        assertThatThrownBy(() -> explain(ZERO3, Measured.parse("30 GiB reserved"), 1))
                .hasMessageContaining("memory alone does not tell the speed");
    }

    @Test
    @Tag("slow")
    void whatIsRuledOutIsNoSuspect() throws Exception {
        Explainer.Subject subject =
                Explainer.Subject.of(RunName.of("small.yaml"), SweptFile.readText("small.yaml", ZERO3));
        Explanation without = Objects.requireNonNull(new Explainer(RUNS, 2)
                .explain(
                        subject,
                        Explainer.Evidence.of(List.of(Measured.parse("0.4 x healthy")), Set.of("tcp-over-ethernet")),
                        (share, what) -> {}));
        assertThat(without.suspects())
                .extracting(Explanation.Suspect::fault)
                .doesNotContain("tcp-over-ethernet")
                .contains("one-nic");
        assertThat(without.suspects().stream()
                        .mapToDouble(Explanation.Suspect::share)
                        .sum())
                .isCloseTo(1, within(1e-12));
        assertThat(ExplanationText.write(without, 80)).contains("Ruled out: tcp-over-ethernet.");
        assertThat(ExplanationJson.write(without)).contains("\"ruled_out\" : [ \"tcp-over-ethernet\" ]");
    }

    private static Explanation.Suspect suspect(Explanation explanation, String fault) {
        return explanation.suspects().stream()
                .filter(one -> one.fault().equals(fault))
                .findFirst()
                .orElseThrow();
    }
}
