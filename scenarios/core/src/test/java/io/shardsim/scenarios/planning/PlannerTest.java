package io.shardsim.scenarios.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RememberedRuns;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A plan equals the result of simulating everything, and reports what happened to the rest. */
@Tag("once")
class PlannerTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 1024, layers: 4, heads: 16, vocab: 8000, gated_ffn: true, ffn: 2752}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 32, precision: bf16, activation_offload: false}
            search: {strategy.kind: [mics, fsdp2, zero2, megatron-core]}
            """;

    private static final Goal FASTEST =
            new Goal(Objective.FASTEST, 500e9, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, false);

    /** Runs that several tests need. */
    private static final RememberedRuns RUNS = new RememberedRuns();

    private static Plan plan(String text, Goal goal, int threads) throws Exception {
        return plan(text, goal, threads, PointSimulation::new);
    }

    private static Plan plan(String text, Goal goal, int threads, RunnerFactory runners) throws Exception {
        try (Planner planner =
                        new Planner(Variations.readText("small.yaml", text), goal, 4, threads, (share, what) -> {});
                ScenarioRunner runner = runners.create(new RunOptions(threads, true))) {
            return planner.plan(runner, (share, what) -> {});
        }
    }

    /** Two nodes of eight GPUs: 24 experts can be distributed over 8 GPUs but not over 16, 4 experts over 4; a dense model has none. */
    @Test
    void expertsAreSharedOutAmongANodeOrMore() throws Exception {
        Map<String, List<String>> groups = Map.of(
                "",
                List.of(),
                ", experts: 4",
                List.of("1", "4"),
                ", experts: 24",
                List.of("1", "8"),
                ", experts: 32",
                List.of("1", "8", "16"));
        for (Map.Entry<String, List<String>> each : groups.entrySet()) {
            String text = """
                    scenario: experts
                    model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 2816%s}
                    cluster: {instance: p4d.24xlarge, nodes: 2}
                    training:
                      {sequence_length: 512, global_batch: 32, micro_batch: 2, precision: bf16, attention: flash,
                       activation_checkpointing: full, activation_offload: false}
                    strategy: {kind: megatron-core, tensor_parallel: 1, pipeline_parallel: 1}
                    """.formatted(each.getKey());
            assertThat(SearchSpace.of(Variations.readText("experts.yaml", text), 1, (share, what) -> {})
                            .candidates())
                    .extracting(one -> one.settings().get("strategy.expert_parallel"))
                    .as(each.getKey())
                    .filteredOn(Objects::nonNull)
                    .containsExactlyElementsOf(each.getValue());
        }
    }

    @Test
    @Tag("slow")
    void theBestAreThoseOfAnExhaustiveSearch() throws Exception {
        Variations file = Variations.readText("small.yaml", SMALL);
        List<Candidate> all = SearchSpace.of(file, 1, (share, what) -> {}).candidates();
        assertThat(all).hasSizeGreaterThan(200);
        List<Double> steps = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Map<String, Double> byKind = new LinkedHashMap<>();
        int fit = 0;
        try (ScenarioRunner simulation = RUNS.create(new RunOptions(2, true))) {
            for (Candidate candidate : all) {
                RunResult run = simulation.run(candidate.point());
                if (run.training() != null) {
                    fit++;
                    double seconds = run.step().stepSeconds();
                    if (new Plan.Ranked(candidate, run, FASTEST.cost(candidate, seconds)).isNew(seen)) {
                        steps.add(seconds);
                    }
                    byKind.merge(candidate.kind(), run.step().samplesPerSecond(), Math::max);
                }
            }
        }
        Plan plan = plan(SMALL, FASTEST, 2, RUNS);
        assertThat(plan.best().stream().map(one -> one.run().step().stepSeconds()))
                .containsExactlyElementsOf(steps.stream()
                        .sorted(Comparator.naturalOrder())
                        .limit(Plan.BEST)
                        .toList());
        Plan.Counts counts = plan.counts();
        assertThat(counts.searched()).isEqualTo(all.size());
        assertThat(counts.prunedByMemory() + counts.prunedByBound() + counts.simulated())
                .isEqualTo(all.size());
        assertThat(counts.simulated()).as("simulated of %d that fit", fit).isLessThan(fit);
        assertThat(plan.complete()).isTrue();
        Set<String> best =
                plan.best().stream().map(one -> one.candidate().kind()).collect(Collectors.toSet());
        assertThat(plan.others()).hasSize(byKind.size() - best.size()).allSatisfy(other -> {
            assertThat(best).doesNotContain(other.kind());
            double most = byKind.get(other.kind());
            assertThat(Objects.requireNonNull(other.run()).step().samplesPerSecond())
                    .isEqualTo(most);
            assertThat(other.proven()).isTrue();
        });
    }

    /**
     * Candidates that fit only without fragmentation are not searched. With --tight they rank after those with headroom, however fast, and are not on
     * the front of days and dollars.
     */
    @Test
    void whatIsTightComesLastAndOnDemand() throws Exception {
        String text = """
                scenario: tight
                model: llama3-8b
                cluster: {instance: p4d.24xlarge, nodes: 8}
                training: {attention: standard, kernels: fsdp, sequence_length: 8192, global_batch: 256, micro_batch: 1, activation_checkpointing: full}
                strategy: {kind: fsdp, no_sync: true, tensor_parallel: 1}
                search: {training.activation_offload: [false, true]}
                """;
        Plan roomy = plan(text, FASTEST, 1);
        assertThat(roomy.ranked()).extracting(Plan.Ranked::isTight).containsExactly(false);
        assertThat(roomy.counts().tight()).isEqualTo(1);
        assertThat(PlanText.write(roomy, 500))
                .contains("1 do not fit (1 only because of fragmentation: --tight includes them)");
        Plan plan = plan(
                text, new Goal(Objective.FASTEST, 500e9, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, true), 1);
        assertThat(plan.ranked()).extracting(Plan.Ranked::isTight).containsExactly(false, true);
        assertThat(plan.ranked().get(0).samplesPerSecond())
                .isLessThanOrEqualTo(plan.ranked().get(1).samplesPerSecond());
        assertThat(plan.front()).containsExactly(plan.ranked().get(0));
        assertThat(PlanText.write(plan, 100)).contains("\n      1  ", "\ntight 2  ");
    }

    private static Plan planWith(String text, List<String> software, @Nullable String written, boolean stopped)
            throws Exception {
        try (Planner planner =
                        new Planner(Variations.readText("small.yaml", text), FASTEST, 4, 2, (share, what) -> {});
                ScenarioRunner runner = RUNS.create(new RunOptions(2, true))) {
            planner.available(software, written);
            if (stopped) {
                planner.interrupt();
            }
            return planner.plan(runner, (share, what) -> {});
        }
    }

    /** Strategies in other software are not ranked; each one's best is named if it beats the ranked ones. */
    @Test
    @Tag("slow")
    void whatIsNotAvailableIsNamedWithItsGain() throws Exception {
        Map<String, Double> most = new HashMap<>();
        Plan all = plan(SMALL, FASTEST, 2, RUNS);
        all.others()
                .forEach(other -> most.put(
                        other.kind(), Objects.requireNonNull(other.run()).step().samplesPerSecond()));
        all.best().forEach(one -> most.merge(one.candidate().kind(), one.samplesPerSecond(), Math::max));

        Plan plan = planWith(SMALL, List.of("megatron"), null, false);

        assertThat(plan.ranked())
                .isNotEmpty()
                .allMatch(one -> one.candidate().kind().equals("megatron-core"));
        double best = plan.best().get(0).samplesPerSecond();
        assertThat(best).isEqualTo(most.get("megatron-core"));
        assertThat(plan.others(false)).extracting(Plan.Other::kind).containsExactlyInAnyOrder("mics", "fsdp2", "zero2");
        int better = 0;
        for (Plan.Other other : plan.others(false)) {
            double rate = most.getOrDefault(other.kind(), 0.0);
            RunResult run = other.run();
            assertThat(other.proven()).isTrue();
            assertThat(run == null ? null : run.step().samplesPerSecond())
                    .as(other.kind())
                    .isEqualTo(rate > best ? rate : null);
            better += run == null ? 0 : 1;
        }
        assertThat(better).isPositive();
        assertThat(PlanText.write(plan, 500)).contains("software Megatron", " better", "--available ");
        assertThat(PlanJson.write(plan, Variations.readText("small.yaml", SMALL)))
                .contains("\"software\" : \"megatron\"", "\"unavailable_strategies\"");
    }

    @Test
    void whatNobodyCanInstallIsLeftOutUnlessItIsAskedFor() throws Exception {
        String open = SMALL.replaceAll("search: .*", "");
        String written = open + "strategy: {kind: mics}";
        assertThat(planWith(open, List.of(), null, true).others(false))
                .extracting(Plan.Other::kind)
                .isNotEmpty()
                .allSatisfy(kind ->
                        assertThat(Strategies.software(kind).only()).as(kind).isNotEmpty());
        assertThat(planWith(open, List.of(), "smp", true).others(false)).isEmpty();
        assertThat(planWith(open, Strategies.software(), null, true).others(false))
                .isEmpty();
        assertThat(planWith(written, List.of(), null, true).others(false)).isEmpty();
        assertThatThrownBy(() -> planWith(written, List.of("pytorch"), null, true))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("strategy mics needs --available smp");
    }

    private static Set<String> values(String text, String key) throws Exception {
        return SearchSpace.of(Variations.readText("space.yaml", text), 1, (share, what) -> {}).candidates().stream()
                .flatMap(one -> Stream.ofNullable(one.settings().get(key)))
                .collect(Collectors.toSet());
    }

    /** Of 24,576 tokens, 4 ranks have 6,144 each and 8 would have 3,072; 4,096 tokens are not split. */
    @Test
    void longSequencesAreSplitAndKernelsCompiledWhereTheSoftwareCan() throws Exception {
        String text = """
                scenario: long
                model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 24576, global_batch: 8, micro_batch: 1, precision: bf16, attention: flash, activation_checkpointing: full}
                strategy: {kind: fsdp2, tensor_parallel: 1, pipeline_parallel: 1}
                """;
        assertThat(values(text, "strategy.context_parallel")).containsExactlyInAnyOrder("1", "2", "4");
        assertThat(values(text.replace("24576", "4096"), "strategy.context_parallel"))
                .isEmpty();
        assertThat(values(
                        text.replace("fsdp2", "fsdp").replace(", pipeline_parallel: 1", ""),
                        "strategy.context_parallel"))
                .isEmpty();
        assertThat(values(text, "training.kernels")).containsExactlyInAnyOrder("fsdp", "fsdp-compile");
        assertThat(values(text.replace("fsdp2", "megatron-core"), "training.kernels"))
                .isEmpty();
        assertThat(values(text.replace("scenario: long", "scenario: long\nframework: torchtitan"), "training.kernels"))
                .isEmpty();
    }

    /** Offloading or a split is not recommended for less than 1 %; for more it is. */
    @Test
    void ofTwoThatAreAlmostAsGoodThePlainerComesFirst() throws Exception {
        List<Plan.Ranked> two = plan("""
                scenario: two
                model: gpt2-1.5b
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {attention: flash, sequence_length: 512, global_batch: 32, activation_checkpointing: full, activation_offload: false}
                strategy: {kind: zero2, tensor_parallel: 1}
                search: {training.micro_batch: [1, 4]}
                """, FASTEST, 1).ranked();
        List<Plan.Ranked> close = new ArrayList<>(List.of(offloading(two.get(0)), two.get(0)));
        FASTEST.plainFirst(close);
        assertThat(close).extracting(one -> one.candidate().extras()).containsExactly(0L, 1L);
        List<Plan.Ranked> apart = new ArrayList<>(List.of(offloading(two.get(0)), two.get(1)));
        FASTEST.plainFirst(apart);
        assertThat(apart).extracting(one -> one.candidate().extras()).containsExactly(1L, 0L);
    }

    private static Plan.Ranked offloading(Plan.Ranked one) {
        Candidate candidate = one.candidate();
        Map<String, String> settings = Map.of("training.activation_offload", "true");
        return new Plan.Ranked(new Candidate(settings, candidate.point()), one.run(), one.cost());
    }

    /** Settings within tensor parallelism are dropped without tensor parallelism. */
    @Test
    void withoutTensorParallelismNothingIsSplitAlongTheSequence() throws Exception {
        String text = """
                scenario: split
                model: {hidden: 1024, layers: 4, heads: 16, vocab: 4096}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 512, global_batch: 8, micro_batch: 1, activation_checkpointing: full}
                strategy: {kind: megatron-core, sequence_parallel: true, pipeline_parallel: 1}
                search: {strategy.tensor_parallel: [1, 2]}
                """;
        assertThat(SearchSpace.of(Variations.readText("split.yaml", text), 1, (share, what) -> {})
                        .candidates())
                .extracting(one -> one.settings().get("strategy.tensor_parallel") + " "
                        + one.settings().get("strategy.sequence_parallel"))
                .contains("1 false", "2 null");
    }

    @Test
    void listingTellsHowFarItIs() throws Exception {
        List<Double> shares = new ArrayList<>();
        List<String> told = new ArrayList<>();
        SearchSpace space = SearchSpace.of(Variations.readText("small.yaml", SMALL), 1, (share, what) -> {
            shares.add(share);
            told.add(what);
        });
        assertThat(shares).isSorted().endsWith(1.0).hasSizeGreaterThan(20);
        assertThat(told).endsWith(space.candidates().size() + " candidates so far");
    }

    /** Runs each candidate to its end, or as far as the planner wants, and counts those given up. */
    private static final class Counting implements ScenarioRunner {
        private final PointSimulation simulation = new PointSimulation(new RunOptions(2, true));
        private final boolean toTheEnd;
        private final AtomicInteger givenUp = new AtomicInteger();

        Counting(boolean toTheEnd) {
            this.toTheEnd = toTheEnd;
        }

        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            return simulation.run(point);
        }

        @Override
        public RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
            try {
                return toTheEnd ? run(point) : simulation.run(point, limits);
            } catch (RunLimitException late) {
                givenUp.incrementAndGet();
                throw late;
            }
        }

        @Override
        public void close() {
            simulation.close();
        }
    }

    @Test
    @Tag("slow")
    void givingUpWhatCannotBeAmongTheBestChangesNothing() throws Exception {
        String open = SMALL.replace(", nodes: 2", "")
                .replace("[mics, fsdp2, zero2, megatron-core]", "[mics, zero2, megatron-core]");
        for (Goal goal : List.of(FASTEST, new Goal(Objective.CHEAPEST, 500e9, 1e9, 1e18, false))) {
            List<String> texts = new ArrayList<>();
            List<Integer> givenUp = new ArrayList<>();
            for (boolean toTheEnd : new boolean[] {true, false}) {
                Variations file = Variations.readText("small.yaml", open);
                try (Planner planner = new Planner(file, goal, 4, 2, (share, what) -> {});
                        Counting runner = new Counting(toTheEnd)) {
                    Plan plan = planner.plan(runner, (share, what) -> {});
                    assertThat(plan.others()).isNotEmpty();
                    texts.add(PlanText.write(plan, 100) + PlanJson.write(plan, file));
                    givenUp.add(runner.givenUp.get());
                }
            }
            assertThat(texts.get(1)).isEqualTo(texts.get(0));
            assertThat(givenUp.get(0)).isZero();
            assertThat(givenUp.get(1)).isPositive();
        }
    }

    @Test
    void whatIsTooLargeToSimulateIsLeftOut() throws Exception {
        String text = """
                scenario: small
                model: {hidden: 1024, layers: 24, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 512, global_batch: 16, micro_batch: 1, activation_checkpointing: none, activation_offload: false}
                strategy: {kind: zero2}
                search: {strategy.allgather_bucket_size: [500000000, 1]}
                """;
        Plan plan = plan(text, FASTEST, 2);

        assertThat(plan.ranked())
                .isNotEmpty()
                .allSatisfy(one -> assertThat(one.candidate().settings())
                        .containsEntry("strategy.allgather_bucket_size", "500000000"));
        int left = plan.counts().searched() / 2;
        assertThat(plan.tooLarge())
                .hasSize(left)
                .allSatisfy(one ->
                        assertThat(one.candidate().settings()).containsEntry("strategy.allgather_bucket_size", "1"));
        assertThat(PlanText.write(plan, 500))
                .contains("Left out, too large to simulate: " + left + ". The first is ")
                .contains(" million operations > ");
        assertThat(PlanJson.write(plan, Variations.readText("small.yaml", text)))
                .contains("\"too_large\" : " + left, "\"too_large_because\" : \"");
    }

    @Test
    @Tag("slow")
    void threadsChangeNothing() throws Exception {
        Variations file = Variations.readText("small.yaml", SMALL);
        String one = PlanJson.write(plan(SMALL, FASTEST, 1), file);
        String two = PlanJson.write(plan(SMALL, FASTEST, 2), file);
        assertThat(two).isEqualTo(one);
        assertThat(one).contains("\"candidates\"", "\"pruned_by_memory\"", "\"digest\"", "\"interval\"");
    }

    @Test
    @Tag("slow")
    void theWinnerWrittenAsAScenarioRunsAsThePlanSays() throws Exception {
        Plan.Ranked best = plan(SMALL, FASTEST, 2, RUNS).best().get(0);
        Map<String, Object> written =
                Variations.readText("small.yaml", SMALL).file(best.candidate().settings());
        assertThat(written).doesNotContainKey("search");
        StringBuilder yaml = new StringBuilder();
        written.forEach((key, value) -> yaml.append(key)
                .append(": ")
                .append(value.toString().replace('=', ':').replace(":", ": "))
                .append('\n'));
        try (PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            RunResult run = simulation.run(
                    ScenarioReader.readText("best", yaml.toString()).points().get(0));
            assertThat(run.digest()).isEqualTo(best.run().digest());
        }
    }

    @Test
    @Tag("slow")
    void theCheapestNeedNotBeTheFastest() throws Exception {
        String open = SMALL.replace(", nodes: 2", "");
        Plan fastest = plan(open, FASTEST, 2, RUNS);
        Plan cheapest = plan(open, new Goal(Objective.CHEAPEST, 500e9, 1e9, 1e18, false), 2, RUNS);
        assertThat(cheapest.best().get(0).cost().usd())
                .isLessThan(fastest.best().get(0).cost().usd());
        assertThat(cheapest.best().get(0).cost().days())
                .isGreaterThan(fastest.best().get(0).cost().days());
        double days = fastest.best().get(0).cost().days();
        Plan inTime = plan(open, new Goal(Objective.CHEAPEST, 500e9, days * 1.01, 1e18, false), 2, RUNS);
        assertThat(inTime.ranked()).isNotEmpty().allMatch(one -> one.cost().days() <= days * 1.01);
        Plan never = plan(open, new Goal(Objective.FASTEST, 500e9, days / 100, 1e18, false), 2, RUNS);
        assertThat(never.best()).isEmpty();
        assertThat(PlanText.write(never, 100)).contains("Nothing meets the limits.");
    }

    @Test
    void moneyNeedsAPrice() {
        String inline = SMALL.replace(
                "{instance: p4d.24xlarge, nodes: 2}",
                "{gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, network: p4d, nodes: 2}");
        assertThatThrownBy(() ->
                        plan(inline, new Goal(Objective.CHEAPEST, 500e9, 1e9, Double.POSITIVE_INFINITY, false), 1))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("set cluster.price");
    }

    @Test
    @Tag("slow")
    void theTextSaysWhyOthersLostAndStaysShort() throws Exception {
        String text = PlanText.write(plan(SMALL, FASTEST, 2, RUNS), 80);
        List<String> lines = text.lines().toList();
        assertThat(lines).hasSizeLessThanOrEqualTo(35).allMatch(line -> line.length() <= 80);
        assertThat(text).contains("fastest of ", "samples/s", " more per step", "simulated", "do not fit");
        assertThat(PlanText.write(plan(SMALL, FASTEST, 2, RUNS), 500))
                .containsPattern("Not searched: sequence_length, .*precision.* \\(they affect convergence\\); of ")
                .doesNotContainPattern("Not searched: .*micro_batch");
    }

    @Test
    void anInterruptBeforeAnythingIsFoundIsNoVerdict() throws Exception {
        try (Planner planner =
                        new Planner(Variations.readText("small.yaml", SMALL), FASTEST, 4, 1, (share, what) -> {});
                PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            planner.interrupt();
            assertThat(PlanText.write(planner.plan(simulation, (share, what) -> {}), 80))
                    .contains("Interrupted before any configuration met the limits")
                    .doesNotContain("Allow more", "best so far");
        }
    }

    @Test
    @Tag("slow")
    void whenTimeIsUpAmongOtherStrategiesNothingIsProvenThatIsNot() throws Exception {
        Map<String, Double> most = new HashMap<>();
        plan(SMALL, FASTEST, 1, RUNS)
                .others()
                .forEach(other -> most.put(
                        other.kind(), Objects.requireNonNull(other.run()).step().samplesPerSecond()));
        assertThat(most).isNotEmpty();
        Variations file = Variations.readText("small.yaml", SMALL);
        int unproven = 0;
        for (int last = 1; last < 100; last += 3) {
            AtomicInteger left = new AtomicInteger(last);
            try (Planner planner = new Planner(file, FASTEST, 4, 1, (share, what) -> {});
                    ScenarioRunner runs = RUNS.create(new RunOptions(1, true))) {
                Plan plan = planner.plan(
                        new ForwardingRunner(runs) {
                            @Override
                            public RunResult run(ScenarioPoint point) throws InterruptedException {
                                if (left.decrementAndGet() == 0) {
                                    planner.endTime();
                                }
                                return runs.run(point);
                            }
                        },
                        (share, what) -> {});
                for (Plan.Other other : plan.others()) {
                    double rate = Objects.requireNonNull(other.run()).step().samplesPerSecond();
                    assertThat(rate).as(other.kind()).isLessThanOrEqualTo(most.getOrDefault(other.kind(), rate));
                    assertThat(other.proven() && rate < most.getOrDefault(other.kind(), rate))
                            .as("proven %s after %d runs", other.kind(), last)
                            .isFalse();
                    unproven += other.proven() ? 0 : 1;
                }
            }
        }
        assertThat(unproven).isPositive();
    }

    @Test
    @Tag("slow")
    void whenTimeIsUpTheBestSoFarStandBesideABoundOnTheRest() throws Exception {
        double proven = plan(SMALL, FASTEST, 2, RUNS).best().get(0).run().step().stepSeconds();
        Variations file = Variations.readText("small.yaml", SMALL);
        try (Planner planner = new Planner(file, FASTEST, 4, 1, (share, what) -> {});
                PointSimulation simulation = new PointSimulation(new RunOptions(1, true))) {
            planner.endTime();
            Plan plan = planner.plan(simulation, (share, what) -> {});
            assertThat(plan.complete()).isFalse();
            assertThat(plan.isInterrupted()).isFalse();
            assertThat(plan.best()).isNotEmpty();
            Plan.Ending ending = plan.ending();
            assertThat(ending.gap()).isBetween(0.0, 1.0);
            assertThat(proven)
                    .isGreaterThanOrEqualTo(
                            (1 - ending.gap()) * plan.best().get(0).run().step().stepSeconds());
            Plan.Counts counts = plan.counts();
            assertThat(counts.simulated() + counts.prunedByMemory() + counts.prunedByBound() + ending.left())
                    .isEqualTo(counts.searched());
            assertThat(PlanText.write(plan, 200))
                    .contains(
                            "(out of time: the best so far)",
                            " are left. By their lower bounds, none of them can take more than ");
            assertThat(PlanJson.write(plan, file)).contains("\"complete\" : false", "\"left\" : " + ending.left());
        }
    }

    @Test
    void aFileThatIsWrongIsToldAsByRun() {
        assertThatThrownBy(() -> plan(SMALL.replace("global_batch", "globl_batch"), FASTEST, 1))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("did you mean global_batch");
        assertThatThrownBy(() ->
                        plan(SMALL.replace("[mics,", "[miks,").replace(" fsdp2, zero2, megatron-core", ""), FASTEST, 1))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("did you mean mics");
        assertThatThrownBy(() -> plan(SMALL.replace("search: {", "search: {training.micro_batch: 2, "), FASTEST, 1))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("training.micro_batch under search");
        assertThatThrownBy(() -> ScenarioReader.readText("small.yaml", SMALL))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("search is for shardsim plan");
        assertThatThrownBy(() -> plan("""
                scenario: gather
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_gather, size: 1 GiB}
                """, FASTEST, 1))
                .isInstanceOf(InputException.class)
                .hasMessage("small.yaml:1:1: is a bare collective and leaves nothing to choose; name a training run");
    }
}
