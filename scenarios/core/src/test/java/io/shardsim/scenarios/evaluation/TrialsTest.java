package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Assumption;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Trials of a run, and their results. */
@Tag("once")
class TrialsTest {
    private static final String SMALL = """
            scenario: tried
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 4}
            training: {attention: standard, sequence_length: 512, global_batch: 128, micro_batch: 2, activation_checkpointing: none}
            strategy: {kind: mics, shard_group: 16}
            """;

    private static final String SMALLER = "{hidden: 1024, layers: 24, heads: 16, vocab: 50257}";

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

    /** Returns the advised run of a scenario with its trials. */
    private static RunResult advised(String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", text);
        List<RunResult> results = new ArrayList<>();
        for (ScenarioPoint point : scenario.points()) {
            results.add(simulation.run(point));
        }
        Trials trials = Trials.of(scenario, results, Long.MAX_VALUE);
        PointRuns tried = new PointRuns(List.of(new Scenario("tried", "", true, trials.points())), 1);
        tried.runAll(simulation, (done, what) -> {});
        return trials.with(tried);
    }

    /** Returns what a scenario would try, without running it. */
    private static List<Map<String, Object>> tried(String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", text);
        return Trials.of(scenario, List.of(run(text)), Long.MAX_VALUE).points().stream()
                .map(ScenarioPoint::values)
                .toList();
    }

    private static Map<String, Object> set(String key, String value) {
        return Map.of(key, value);
    }

    /** Megatron-Core's table has 8 whole experts of Mixtral 8x7B ahead of 4 halves (megatron/core/transformer/moe/README.md). */
    @Test
    @Tag("slow")
    void splitExpertsAreAdvisedToStayWhole() throws Exception {
        RunResult result = advised("""
                scenario: split-experts
                model: mixtral-8x7b
                cluster: {instance: p5.48xlarge, nodes: 8}
                training: {sequence_length: 4096, global_batch: 256, micro_batch: 1, precision: bf16, activation_checkpointing: none, attention: flash, dropout: false}
                strategy: {kind: megatron-core, expert_parallel: 4, expert_tensor_parallel: 2, tensor_parallel: 2, sequence_parallel: true, pipeline_parallel: 4, pipeline_schedule: interleaved, model_chunks: 8, overlap_grad_reduce: true, overlap_param_gather: true}
                """);
        assertThat(Advice.of(result))
                .filteredOn(advice -> advice.trial().title().equals("Whole experts, expert parallelism over 8"))
                .singleElement()
                .satisfies(advice -> assertThat(advice.gain()).isBetween(0.02, 0.2));
    }

    /**
     * Llama 3 8B with 8,192 tokens and standard attention on p5: flash attention more than doubles the speed, and a smaller shard group hardly
     * matters.
     */
    @Test
    @Tag("slow")
    void standardAttentionIsToldOfFlashAttentionFirst() throws Exception {
        String standard = """
                scenario: llama
                model: llama3-8b
                cluster: {instance: p5.48xlarge, nodes: 1}
                training: {sequence_length: 8192, global_batch: 32, attention: standard}
                strategy: {kind: fsdp2}
                """;
        RunResult run = advised(standard);
        Advice first = Advice.of(run).get(0);
        double rate = run(standard.replace("attention: standard", "attention: flash"))
                .step()
                .samplesPerSecond();
        assertThat(first.trial().settings()).isEqualTo(set("training.attention", "flash"));
        assertThat(first.trial().samplesPerSecond())
                .as("as a run says that has it")
                .isEqualTo(rate);
        assertThat(first.gain()).isCloseTo(rate / run.step().samplesPerSecond() - 1, within(1e-12));
        assertThat(first.gain()).isGreaterThan(1);
        assertThat(Diagnosis.of(run).next())
                .startsWith("Flash attention: ")
                .endsWith(" --set training.attention=flash");
        assertThat(Advice.of(run)).extracting(Advice::gain).isSortedAccordingTo((a, b) -> Double.compare(b, a));
    }

    /** Megatron-Core has no compiler of its own; FSDP is compiled by PyTorch. */
    @Test
    @Tag("slow")
    void onlyWhatTheSoftwareOffersIsTried() throws Exception {
        for (String kernels : List.of("eager", "fused")) {
            for (String kind : List.of("fsdp", "fsdp2", "megatron-core", "megatron", "mics", "zero3")) {
                List<Map<String, Object>> tried =
                        tried(SMALL.replace("training: {", "training: {kernels: " + kernels + ", ")
                                .replace("kind: mics, shard_group: 16", "kind: " + kind));
                boolean compiles = tried.contains(set("training.kernels", "compiled"));
                assertThat(compiles).as(kind).isEqualTo(kind.startsWith("fsdp"));
                assertThat(tried).as(kind).isNotEmpty();
            }
        }
    }

    /** An import that finds no compiler writes the plain kernels into the file; compiling is still worth a trial. */
    @Test
    @Tag("slow")
    void plainKernelsThatAFileNamesAreTriedCompiled() throws Exception {
        Map<String, Object> compiled = set("strategy.framework_profile", "fsdp-compile");
        for (String profile : List.of("eager", "fused", "fsdp-fused-norm")) {
            String file = SMALL.replace("kind: mics, shard_group: 16", "kind: fsdp2, framework_profile: " + profile);
            assertThat(tried(file)).as(profile).contains(compiled);
        }
        assertThat(tried(SMALL.replace("kind: mics, shard_group: 16", "kind: megatron-core, framework_profile: eager")))
                .noneMatch(set -> set.containsKey("strategy.framework_profile"));
    }

    /** Following the advice gains what it promises. */
    @Test
    @Tag("slow")
    void aTrialIsTheRunThatItsSettingsMake() throws Exception {
        RunResult run = advised(SMALL.replace("none", "full"));
        assertThat(run.facts().trials()).hasSizeGreaterThan(4);
        for (Trial trial : run.facts().trials()) {
            Map<String, String> settings = trial.settings();
            RunResult followed = simulation.run(
                    SweptFile.readText("a.yaml", SMALL.replace("none", "full")).point(0, settings));
            assertThat(followed.fits()).as(trial.title()).isEqualTo(trial.fit().fits());
            if (followed.fits()) {
                assertThat(followed.step().samplesPerSecond()).as(trial.title()).isEqualTo(trial.samplesPerSecond());
            }
        }
        assertThat(Advice.of(run))
                .allSatisfy(advice -> assertThat(advice.gain()).isGreaterThanOrEqualTo(0.02));
    }

    private static final String OPEN = """
            scenario: open
            model: {hidden: 1024, layers: 24, heads: 16, vocab: 50257}
            cluster: {gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 8, nic: 200 Gbit/s, nodes: 2}
            training: {sequence_length: 512, global_batch: 128, activation_checkpointing: none}
            strategy: {kind: fsdp}
            """;

    /** Each price equals that of a run of the file with the other choice written out. */
    @Test
    @Tag("slow")
    void whatIsLeftOpenIsPricedByRunsOfTheSameFile() throws Exception {
        RunResult run = advised(OPEN);
        assertThat(run.facts().assumptions())
                .extracting(Assumption::taken)
                .containsExactly(
                        "fsdp kernels",
                        "flash attention",
                        "micro-batch 8",
                        "NICs at 24.0 GB/s",
                        "full-bisection fabric",
                        "PCIe of 24.0 GB/s");
        for (Assumption assumption : run.facts().assumptions()) {
            assertThat(assumption.others()).as(assumption.taken()).isNotEmpty();
            for (Trial other : assumption.others()) {
                RunResult followed =
                        simulation.run(SweptFile.readText("a.yaml", OPEN).point(0, other.settings()));
                assertThat(followed.step().samplesPerSecond())
                        .as(assumption.taken() + ", " + other.title())
                        .isEqualTo(other.samplesPerSecond());
            }
        }
        assertThat(Assumption.sentences(run)).hasSize(1);
        assertThat(Assumption.sentences(run).get(0))
                .startsWith("Assumed: fsdp kernels (eager: ")
                .contains("micro-batch 8 (4: -")
                .endsWith(" %).");
    }

    /** Returns files with strategies that lack others' parameters, and some random ones. */
    private static Stream<Arguments> files() {
        String split = SMALL.replace("gpt2-1.5b", "{hidden: 1024, layers: 6, heads: 16, vocab: 50257}")
                .replace("nodes: 4", "nodes: 2");
        return Stream.concat(
                Stream.of(
                                SMALL,
                                split,
                                with(split, "{kind: megatron-core, tensor_parallel: 8}"),
                                with(split, "{kind: megatron-core, tensor_parallel: 4, pipeline_parallel: 1}"),
                                with(split, "{kind: megatron-core, tensor_parallel: 2, pipeline_parallel: 2}"),
                                with(split, "{kind: fsdp2, tensor_parallel: 2}"),
                                with(split, "{kind: zero3, offload_optimizer: true}"),
                                with(split, "{kind: zero3-0.11, prefetch_bucket_size: 1e8}")
                                        .replace("standard", "flash")
                                        .replace("none", "operator, activation_offload: true"),
                                with(split, "{kind: zero3-0.11}\nframework: deepspeed 0.11"))
                        .map(text -> Arguments.of(
                                text.substring(text.indexOf("strategy:")).strip(), text)),
                LongStream.range(3, 20)
                        .filter(seed -> RandomScenario.point(seed)
                                .filter(point -> point.task() instanceof Task.Training)
                                .isPresent())
                        .mapToObj(seed -> Arguments.of("seed " + seed, RandomScenario.text(seed))));
    }

    private static String with(String text, String strategy) {
        return text.replace("{kind: mics, shard_group: 16}", strategy);
    }

    @ParameterizedTest(name = "{0}")
    @Tag("slow")
    @MethodSource("files")
    void whatIsAdvisedDoesWhatWasTriedWhenItIsWrittenIntoTheFile(String name, String text) throws Exception {
        RunResult run = advised(text);
        for (Trial trial : run.facts().trials()) {
            RunResult followed =
                    simulation.run(SweptFile.readText("a.yaml", text).point(0, trial.settings()));
            assertThat(followed.fits()).as(trial.title()).isEqualTo(trial.fit().fits());
            if (followed.fits()) {
                assertThat(followed.step().samplesPerSecond())
                        .as(trial.title() + " " + trial.settings())
                        .isEqualTo(trial.samplesPerSecond());
            }
        }
    }

    @Test
    @Tag("slow")
    void whatTheFileSaysIsNoAssumption() throws Exception {
        String said = OPEN.replace("none}", "none, micro_batch: 4}")
                .replace("nodes: 2", "nodes: 1, pcie: 20 GB/s")
                .replace("strategy:", "framework: pytorch 2.1\nstrategy:");
        assertThat(advised(said).facts().assumptions()).isEmpty();
    }

    @Test
    @Tag("slow")
    void theLargeLeversAreTried() throws Exception {
        String slow = SMALL.replace("micro_batch: 2", "micro_batch: 2, activation_offload: true")
                .replace("none", "full");
        assertThat(tried(slow.replace("mics, shard_group: 16", "fsdp2, backward_prefetch: false")))
                .contains(
                        set("training.attention", "flash"),
                        set("training.activation_offload", "false"),
                        set("strategy.reshard_after_forward", "false"),
                        set("strategy.no_sync", "true"),
                        set("strategy.backward_prefetch", "true"),
                        set("strategy.shard_group", "8"),
                        set("training.activation_checkpointing", "none"));
        assertThat(tried(with(slow, "{kind: zero3}")))
                .contains(Map.of(
                        "training.activation_checkpointing", "none",
                        "training.activation_offload", "false"));
        assertThat(tried(SMALL))
                .contains(set("strategy.shard_group", "8"), set("strategy.shard_group", "32"))
                .contains(set("strategy.prefetch_bucket_size", "5000000000"))
                .doesNotContain(set("strategy.shard_group", "16"));
        assertThat(tried(SMALL.replace("mics, shard_group: 16", "zero2, offload_optimizer: true")))
                .contains(set("strategy.offload_optimizer", "false"), set("strategy.overlap_comm", "true"));
        assertThat(tried(SMALL.replace("gpt2-1.5b", SMALLER)
                        .replace(
                                "mics, shard_group: 16", "megatron-core, tensor_parallel: 2, sequence_parallel: true")))
                .contains(
                        set("strategy.overlap_grad_reduce", "true"),
                        Map.of("strategy.tensor_parallel", "1", "strategy.sequence_parallel", "false"));
    }

    /** The catalog lists the suitable kinds; they keep the kernels of the run. */
    @Test
    void aStrategyWithoutShardGroupsIsTriedAsOneThatHasThem() throws Exception {
        assertThat(tried(SMALL.replace("mics, shard_group: 16", "zero3-0.11")))
                .contains(Map.of(
                        "strategy.kind", "mics",
                        "strategy.shard_group", "8",
                        "strategy.framework_profile", "deepspeed-hf"));
        assertThat(tried(SMALL)).noneMatch(values -> values.containsKey("strategy.kind"));
    }

    @Test
    @Tag("slow")
    void laterVersionsAreTriedAndEarlierOnesAreNot() throws Exception {
        String early = SMALL.replace("mics, shard_group: 16", "zero3, prefetch_bucket_size: 60000000");
        assertThat(tried(early)).contains(set("strategy.kind", "zero3-0.11"));
        assertThat(tried(early.replace("zero3", "zero3-0.11"))).doesNotContain(set("strategy.kind", "zero3"));
        assertThat(advised(early).facts().trials())
                .anyMatch(trial -> trial.title().equals("DeepSpeed 0.11 ZeRO-3"));
    }

    @Test
    void smallModelsAreTriedWithoutSharding() throws Exception {
        String small = SMALL.replace("gpt2-1.5b", SMALLER);
        assertThat(tried(small)).contains(set("strategy", "{kind: ddp, framework_profile: smp}"));
        assertThat(tried(SMALL)).noneMatch(values -> values.containsKey("strategy"));
    }

    @Test
    @Tag("slow")
    void ofASweepTheFastestRunIsTried() throws Exception {
        RunResult run = advised(SMALL + "sweep: {cluster.nodes: [2, 4]}\n");
        assertThat(run.nodes()).isEqualTo(4);
        assertThat(run.facts().trials()).isNotEmpty();
    }

    /** The choice of trials depends on the run and on the budget; all others are named. */
    @Test
    void whatTrialsCostIsBounded() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", SMALL);
        RunResult run = run(SMALL);
        long executed = run.effort().executedEvents();
        assertThat(Trials.eventsMin(List.of(run))).isGreaterThanOrEqualTo(2 * executed);
        assertThat(Trials.eventsMax(List.of(withEvents(run, 60_000_000)))).isEqualTo(12_000_000);
        assertThat(Trials.eventsMax(List.of(withEvents(run, 1_000_000_000)))).isEqualTo(30_000_000);
        int all = Trials.of(scenario, List.of(run), Long.MAX_VALUE).points().size();
        for (long runs : List.of(0L, 1L, 3L, 100L)) {
            Trials trials = Trials.of(scenario, List.of(run), runs * (executed + 10_000));
            assertThat(trials.points()).as("%d runs", runs).hasSizeLessThanOrEqualTo((int) Math.min(all, 2 * runs));
            RunFacts facts = trials.with(new PointRuns(List.of(), 1)).facts();
            assertThat(facts.assumptions())
                    .as("named, and priced where that is not too much")
                    .hasSize(2);
            assertThat(facts.tried().untried().isEmpty()).isEqualTo(runs == 0 || runs == 100);
        }
    }

    /** A setting is given up, or not started, once it cannot gain 2 %; it counts as tried. No setting that gains more is lost that way. */
    @Test
    void whatCannotGainIsNotRunToItsEnd() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", SMALL);
        AdvisedRuns bounded = tried(scenario, 100_000_000);
        RunResult all = advised(SMALL);
        RunResult advised = bounded.results(scenario).get(0);
        List<String> untried = advised.facts().tried().untried();
        assertThat(advised.facts().trials()).anyMatch(trial -> trial.fit().fits() && !trial.isDone());
        assertThat(advised.facts().trials().size() + untried.size())
                .isEqualTo(all.facts().trials().size());
        assertThat(Advice.of(advised))
                .isNotEmpty()
                .isEqualTo(Advice.of(all).stream()
                        .filter(one -> !untried.contains(one.trial().title()))
                        .toList());
        assertThat(advised.facts().assumptions()).isEqualTo(all.facts().assumptions());
    }

    /** A trial that takes more than twice the estimate is named as untried, also if a runner ignores limits. */
    @Test
    void aTrialThatTakesMoreThanForeseenIsNoTrial() throws Exception {
        Scenario scenario = ScenarioReader.readText("a.yaml", SMALL);
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        AdvisedRuns advised = new AdvisedRuns(List.of(scenario), runs);
        ScenarioRunner unlimited = new ForwardingRunner(simulation) {
            @Override
            public RunResult run(ScenarioPoint point) throws InterruptedException {
                RunResult result = runner().run(point);
                return runs.done() == 0 ? result : withEvents(result, 90_000_000);
            }
        };
        runs.runAll(unlimited, (done, what) -> {});
        advised.tryOtherSettings(unlimited, 1, same -> 100_000_000, (done, what) -> {});
        RunResult run = advised.results(scenario).get(0);
        assertThat(Advice.of(run)).isEmpty();
        assertThat(run.facts().tried().untried()).contains("Flash attention");
        assertThat(Advice.untried(run, 1).get(0)).matches("Too costly to try: .*, \\d more \\(--trials all\\)\\.");
    }

    private static AdvisedRuns tried(Scenario scenario, long eventsMax) {
        PointRuns runs = new PointRuns(List.of(scenario), 1);
        AdvisedRuns advised = new AdvisedRuns(List.of(scenario), runs);
        runs.runAll(simulation, (done, what) -> {});
        advised.tryOtherSettings(simulation, 1, same -> eventsMax, (done, what) -> {});
        return advised;
    }

    /** Results of other points of the sweep are reused. */
    @Test
    void anotherPointOfTheSweepIsATrialToo() throws Exception {
        Scenario scenario = ScenarioReader.readText(
                "a.yaml", with(SMALL, "{kind: mics}") + "sweep: {strategy.shard_group: [4, 8, 16]}\n");
        List<RunResult> results = new ArrayList<>();
        for (ScenarioPoint point : scenario.points()) {
            results.add(simulation.run(point));
        }
        Trials trials = Trials.of(scenario, results, 100_000_000);
        assertThat(trials.points())
                .isNotEmpty()
                .noneMatch(point -> point.values().containsKey("strategy.shard_group"));
        assertThat(trials.with(new PointRuns(List.of(), 1)).facts().trials())
                .filteredOn(Trial::isDone)
                .isNotEmpty()
                .allMatch(trial ->
                        results.stream().anyMatch(run -> run.step().samplesPerSecond() == trial.samplesPerSecond()));
    }

    /** Fast-forward executes few of its events, but each micro-batch is planned. */
    @Test
    @Tag("slow")
    void aStepOfManyMicroBatchesCostsItsPlanToo() throws Exception {
        String many = SMALL.replace("gpt2-1.5b", "{hidden: 256, layers: 4, heads: 4, vocab: 1024}")
                .replace("global_batch: 128", "global_batch: 640000");
        RunResult run = run(many);
        assertThat(run.effort().executedEvents()).isLessThan(1_000_000);
        assertThat(run.facts().model().batch().accumulationSteps()).isEqualTo(10_000);
        Scenario scenario = ScenarioReader.readText("a.yaml", many);
        assertThat(Trials.of(scenario, List.of(run), Trials.eventsMax(List.of(run)))
                        .points())
                .as("to plan 40,000 layers takes as long as 4 million events")
                .isEmpty();
    }

    private static RunResult withEvents(RunResult run, long executed) {
        return new RunResult(
                run.facts(),
                run.training(),
                run.collective(),
                run.network(),
                run.rank0(),
                run.remedy(),
                new RunResult.Effort(
                        executed,
                        run.effort().simulatedEvents(),
                        run.effort().pendingEventsMax(),
                        run.effort().wallSeconds()),
                run.digest());
    }

    @Test
    void whatDoesNotFitIsNotTried() throws Exception {
        String large = SMALL.replace("gpt2-1.5b", "gpt2-30b").replace("kind: mics, shard_group: 16", "kind: ddp");
        assertThat(run(large).fits()).isFalse();
        assertThat(tried(large)).isEmpty();
    }
}
