package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.Advice;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import io.shardsim.scenarios.evaluation.AdvisedRuns;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RememberedRuns;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every price equals that of a run with the change, and advice comes from the same runs. */
@Tag("once")
class WhatIfTest {
    private static final RememberedRuns RUNS = new RememberedRuns();

    private static final String SMALL = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 5504}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 1024, global_batch: 64, precision: bf16}
            strategy: {kind: zero3}
            """;

    private static List<Prices> prices(String text, int threads) throws InputException {
        Scenario scenario = ScenarioReader.readText("small.yaml", text);
        return new WhatIf(RUNS, threads)
                .price(WhatIf.subjects(RunName.of("small.yaml"), scenario), (share, what) -> {});
    }

    private static RunResult followed(String text, Trial trial) throws Exception {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(SweptFile.readText("small.yaml", text).point(0, trial.settings()));
        }
    }

    /** Following a suggestion gains what it promises. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"kind: zero3", "kind: mics", "kind: megatron-core"})
    void eachSuggestionGainsWhatItSays(String strategy) throws Exception {
        String text = SMALL.replace("kind: zero3", strategy);
        Prices prices = prices(text, 2).get(0);
        double usual = prices.run().step().samplesPerSecond();
        assertThat(prices.knobs()).isNotEmpty();
        assertThat(prices.knobs()).extracting(Prices.Knob::gain).isSortedAccordingTo((a, b) -> Double.compare(b, a));
        for (Prices.Knob knob : prices.knobs()) {
            RunResult run = followed(text, knob.trial());
            assertThat(run.step().samplesPerSecond() / usual - 1)
                    .as(knob.trial().settings().toString())
                    .isCloseTo(knob.gain(), within(1e-12));
        }
        assertThat(WhatIfText.write(List.of(prices), 80)).contains("\nNext: ");
    }

    @Test
    @Tag("slow")
    void withoutEffectIsTheSameRun() throws Exception {
        Prices prices = prices(SMALL, 2).get(0);
        assertThat(prices.others().withoutEffect()).isNotEmpty();
        for (Trial trial : prices.others().withoutEffect()) {
            assertThat(followed(SMALL, trial).digest())
                    .as(trial.title())
                    .isEqualTo(prices.run().digest());
        }
        assertThat(WhatIfText.write(List.of(prices), 80)).contains("No effect on speed: ");
    }

    /** Advice of {@code run} is among the priced settings, with the same gain, and nothing that {@code run} tried gains more. */
    @Test
    @Tag("slow")
    void adviceOfARunAgrees() throws Exception {
        Scenario scenario = ScenarioReader.readText("small.yaml", SMALL);
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        AdvisedRuns advised = new AdvisedRuns(List.of(scenario), runs);
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            runs.runAll(simulation, (share, what) -> {});
            advised.tryOtherSettings(simulation, 1, same -> Long.MAX_VALUE, (share, what) -> {});
        }
        List<Advice> advice = Advice.of(advised.results(scenario).get(0));
        Prices prices = prices(SMALL, 1).get(0);
        assertThat(advice)
                .isNotEmpty()
                .allSatisfy(one -> assertThat(prices.knobs()).anySatisfy(knob -> {
                    assertThat(knob.trial()).isEqualTo(one.trial());
                    assertThat(knob.gain()).isEqualTo(one.gain());
                }));
        assertThat(prices.knobs().get(0).gain())
                .isGreaterThanOrEqualTo(advice.get(0).gain());
    }

    /** On one GPU only the GPU and its host matter; a GPU that never waits is bound by its flops or its memory. */
    @Test
    void oneGpuIsBoundByItself() throws Exception {
        Prices prices = prices(
                        SMALL.replace("p4d.24xlarge, nodes: 2", "p4d.24xlarge, gpus_per_node: 1, nodes: 1")
                                .replace("kind: zero3", "kind: ddp"),
                        2)
                .get(0);
        double all = 0;
        for (Prices.Priced one : prices.resources()) {
            if (one.resource() == Resource.NIC_RATE || one.resource() == Resource.NIC_LATENCY) {
                assertThat(one.derivative()).as(one.resource().words()).isZero();
            }
            all += one.resource().isRate() ? one.derivative() : 0;
        }
        assertThat(prices.bound()).isNotNull();
        assertThat(prices.bound().resource()).isIn(Resource.GPU_FLOPS, Resource.HBM_RATE);
        assertThat(all)
                .as("what a step is bound by, fixed times of kernels left out")
                .isBetween(0.6, 1.0);
    }

    /** For a host-bound run, 0.9 times the host time gains what its derivative says. */
    @Test
    @Tag("slow")
    void tinyKernelsAreBoundByTheHost() throws Exception {
        Prices prices = prices(
                        SMALL.replace("hidden: 2048", "hidden: 256")
                                .replace("ffn: 5504", "ffn: 688")
                                .replace("sequence_length: 1024", "sequence_length: 128"),
                        2)
                .get(0);
        assertThat(prices.bound()).isNotNull();
        assertThat(prices.bound().resource()).isEqualTo(Resource.HOST_TIME);
        assertThat(prices.bound().derivative()).isBetween(0.5, 1.05);
    }

    @Test
    @Tag("slow")
    void sameBytesOnAnyNumberOfThreads() throws Exception {
        assertThat(WhatIfJson.write(prices(SMALL, 3))).isEqualTo(WhatIfJson.write(prices(SMALL, 1)));
    }

    @Test
    void ofASweepEachSeriesIsPricedOnItsLargestClusterThatFits() throws Exception {
        Scenario scenario = ScenarioReader.readText(
                "small.yaml", SMALL + "sweep: {cluster.nodes: [1, 2, 4], strategy.kind: [zero3, fsdp]}");
        assertThat(WhatIf.subjects(RunName.of("small.yaml"), scenario))
                .extracting(subject -> subject.name().written())
                .containsExactly("small.yaml#5", "small.yaml#6");
        assertThat(WhatIf.subjects(RunName.of("small.yaml#2"), scenario))
                .extracting(subject -> subject.name().written())
                .containsExactly("small.yaml#2");
        Scenario wide =
                ScenarioReader.readText("small.yaml", SMALL + "sweep: {training.global_batch: [16, 32, 48, 64, 80]}");
        assertThatThrownBy(() -> WhatIf.subjects(RunName.of("small.yaml"), wide))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("holds 5 runs; name one");
    }

    @Test
    void whatDoesNotFitHasNoPrice() throws Exception {
        List<Prices> large = prices(SMALL.replace("hidden: 2048, layers: 4", "hidden: 16384, layers: 96"), 1);
        assertThat(large.get(0).fits()).isFalse();
        assertThat(WhatIfText.write(large, 80)).contains("Not simulated: it does not fit in memory.");
        assertThat(WhatIfJson.write(large)).contains("out_of_memory", "remedy");
    }

    @Test
    @Tag("slow")
    void textFitsIntoEightyColumns() throws Exception {
        assertThat(WhatIfText.write(prices(SMALL, 2), 80).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(Stream.of(Resource.values()).map(Resource::words))
                .allSatisfy(words -> assertThat(words).hasSizeLessThanOrEqualTo(11));
    }
}
