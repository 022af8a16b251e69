package io.shardsim.scenarios.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.MeanStep;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.run.RunLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The result that a candidate needs to stay in the search, with made-up results. */
class StandingTest {
    private static final String TRAINING = """
            scenario: made-up
            model: {hidden: 512, layers: 2, heads: 16, vocab: 32000}
            cluster: %s
            training: {sequence_length: 1024, global_batch: %d, micro_batch: 1}
            strategy: {kind: zero3}
            """;
    private static final String PRICED = "{instance: p4d.24xlarge, nodes: %d}";
    private static final String UNPRICED =
            "{gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: 1}";
    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;
    private static final double TOKENS = 1024 * 64 * 86_400.0;

    private static RunResult any;
    /** Candidates by number of nodes, with 64 samples per step. */
    private static Candidate one;

    private static Candidate two;
    private static Candidate unpriced;
    /** Candidates with 128 samples per step. */
    private static Candidate large;

    private static Candidate largeOnTwo;

    private static RunLimitException late;
    private static RunLimitException tooLong;

    @BeforeAll
    static void runOnce() throws Exception {
        one = candidate(PRICED.formatted(1), 64, Map.of());
        two = candidate(PRICED.formatted(2), 64, Map.of());
        large = candidate(PRICED.formatted(1), 128, Map.of());
        largeOnTwo = candidate(PRICED.formatted(2), 128, Map.of());
        unpriced = candidate(UNPRICED, 64, Map.of());
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            any = simulation.run(one.point());
            late = givenUp(simulation, RunLimits.ofEnd(() -> 1));
            tooLong = givenUp(simulation, new RunLimits(1, null));
        }
    }

    private static RunLimitException givenUp(PointSimulation simulation, RunLimits limits) throws Exception {
        try {
            simulation.run(one.point(), limits);
        } catch (RunLimitException expected) {
            return expected;
        }
        throw new AssertionError("ran to its end");
    }

    private static Candidate candidate(String cluster, int batch, Map<String, String> settings) throws Exception {
        return new Candidate(
                settings,
                ScenarioReader.readText("made-up.yaml", TRAINING.formatted(cluster, batch))
                        .points()
                        .get(0));
    }

    private static Candidate with(String key, String value) {
        return new Candidate(Map.of(key, value), one.point());
    }

    /** Returns a result with a step time and a unique digest. */
    private static RunResult run(double seconds, boolean tight) {
        RunFacts facts = any.facts();
        RunFacts.Sharded work = (RunFacts.Sharded) facts.work();
        long ps = Math.round(seconds * 1e12);
        RunFacts.Memory memory = new RunFacts.Memory(
                Map.of(MemoryOwner.PARAMETERS, 10L, MemoryOwner.FRAGMENTATION, tight ? 1L : 0L), 10);
        return new RunResult(
                new RunFacts(
                        facts.scenario(),
                        facts.point(),
                        facts.cluster(),
                        new RunFacts.Sharded(work.strategy(), work.training(), memory),
                        facts.remarks(),
                        facts.surroundings(),
                        facts.tried().with(new MeanStep(1_000 * ps, ps, ps)),
                        facts.accuracy()),
                any.training(),
                null,
                any.network(),
                any.rank0(),
                null,
                any.effort(),
                "digest of " + seconds + tight);
    }

    private static Goal goal(Objective objective, double daysMax, double usdMax) {
        return new Goal(objective, TOKENS, daysMax, usdMax, false);
    }

    private static final Goal FASTEST = goal(Objective.FASTEST, NO_LIMIT, NO_LIMIT);
    private static final Goal CHEAPEST = goal(Objective.CHEAPEST, NO_LIMIT, NO_LIMIT);

    private static Plan.Ranked ranked(Candidate candidate, double seconds, boolean tight) {
        return new Plan.Ranked(candidate, run(seconds, tight), FASTEST.cost(candidate, seconds));
    }

    private static Standing standing(Goal goal, Candidate candidate, double... seconds) {
        Standing standing = new Standing(goal);
        for (double each : seconds) {
            standing.add(0, candidate, run(each, false));
        }
        return standing;
    }

    private static double endMax(Standing standing, Candidate candidate) {
        return standing.endMaxPs(0, candidate) * 1e-12;
    }

    @Test
    void madeUpResultsAreWhatTheySay() {
        assertThat(run(3, false).meanStepSeconds()).isCloseTo(3, within(1e-9));
        assertThat(run(3, false).isTight()).isFalse();
        assertThat(run(3, true).isTight()).isTrue();
        assertThat(late.isLate()).isTrue();
        assertThat(tooLong.isLate()).isFalse();
    }

    @Test
    void anyEndWillDoUntilFiveHaveRun() {
        assertThat(standing(FASTEST, one, 1, 2, 3, 4).endMaxPs(0, one)).isEqualTo(Long.MAX_VALUE);
        assertThat(endMax(standing(FASTEST, one, 5, 2, 3, 1, 4), one)).isCloseTo(5, within(1e-6));
        assertThat(endMax(standing(FASTEST, one, 5, 2, 3, 1, 4, 6), one)).isCloseTo(5, within(1e-6));
    }

    /** Otherwise a candidate as good as the fifth would be given up. */
    @Test
    void theEndIsNeverRoundedDown() {
        assertThat(standing(FASTEST, one, 1, 2, 3, 4, 5).endMaxPs(0, one))
                .isBetween(5_000_000_000_000L, 5_000_000_100_000L);
    }

    @Test
    void twiceTheSamplesMayTakeTwiceTheTime() {
        assertThat(endMax(standing(FASTEST, one, 1, 2, 3, 4, 5), large)).isCloseTo(10, within(1e-6));
    }

    @Test
    void whatRunsAsAnotherDoesIsNotCountedTwice() {
        assertThat(standing(FASTEST, one, 1, 2, 2, 4, 5).endMaxPs(0, one)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void onlyWhatRanUntilThenCounts() {
        Standing standing = standing(FASTEST, one, 2, 3, 4, 5, 6);
        standing.add(2, one, run(1, false));
        assertThat(standing.endMaxPs(2, one) * 1e-12).isCloseTo(5, within(1e-6));
        assertThat(standing.endMaxPs(1, one) * 1e-12).isCloseTo(6, within(1e-6));
    }

    @Test
    void whatMissesTheLimitsOrDoesNotFitIsNoMeasure() {
        // Number of tokens for which one second per step is one day.
        Standing standing = standing(goal(Objective.FASTEST, 4.5, NO_LIMIT), one, 1, 2, 3, 4, 5);
        standing.add(0, one, RunResult.outOfMemory(any.facts(), "less of everything"));
        assertThat(standing.endMaxPs(0, one)).isEqualTo(Long.MAX_VALUE);
        standing.add(0, one, run(4.4, false));
        assertThat(endMax(standing, one)).isCloseTo(4.4, within(1e-6));
    }

    @Test
    void whatIsTightIsNoMeasureForWhatHasRoom() {
        Standing standing = standing(FASTEST, one, 1, 2, 3, 4);
        standing.add(0, one, run(0.5, true));
        assertThat(standing.endMaxPs(0, one)).isEqualTo(Long.MAX_VALUE);
        standing.add(0, one, run(9, false));
        assertThat(endMax(standing, one)).isCloseTo(9, within(1e-6));
    }

    /** A plainer one within 1 % of the best is recommended. */
    @Test
    void aPlainerOneMayEndOnePercentLater() {
        Candidate split = with("strategy.tensor_parallel", "2");
        double[] near = {1, 1.001, 1.002, 1.003, 1.004};
        assertThat(endMax(standing(FASTEST, split, near), one)).isCloseTo(1.01, within(1e-6));
        assertThat(endMax(standing(FASTEST, one, near), one)).isCloseTo(1.004, within(1e-6));
    }

    /** One node costs half as much as two. */
    @Test
    void whatIsCheaperThanAllIsOfInterestHoweverSlow() {
        assertThat(endMax(standing(FASTEST, two, 1, 2, 3, 4, 5), one)).isCloseTo(5, within(1e-6));
        assertThat(endMax(standing(FASTEST, two, 4, 4.1, 4.2, 4.3, 4.4), one)).isCloseTo(8, within(1e-6));
        assertThat(endMax(standing(CHEAPEST, one, 4, 4.1, 4.2, 4.3, 4.4), two)).isCloseTo(4, within(1e-6));
        assertThat(endMax(standing(CHEAPEST, one, 4, 4.1, 4.2, 4.3, 4.4), largeOnTwo))
                .isCloseTo(8, within(1e-6));
        assertThat(endMax(standing(FASTEST, two, 4, 4.1, 4.2, 4.3, 4.4), unpriced))
                .as("nobody knows what it costs")
                .isCloseTo(4.4, within(1e-6));
        assertThat(standing(FASTEST, unpriced, 1, 2, 3, 4, 5).endMaxPs(0, one))
                .as("nothing is known to be cheaper")
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void costAndScoreFollowFromTheStep() {
        double price = 24 * one.point().cluster().instance().price().usdPerHour();
        assertThat(FASTEST.cost(one, 2).days()).isCloseTo(2, within(1e-9));
        assertThat(FASTEST.cost(two, 2).usd()).isCloseTo(2 * 2 * price, within(1e-6));
        assertThat(FASTEST.score(ranked(one, 3, false))).isCloseTo(3 / (1024 * 64.0), within(1e-12));
        assertThat(CHEAPEST.score(ranked(two, 3, false))).isCloseTo(3 * 2 * price / 24 / (1024 * 64), within(1e-9));
        assertThat(FASTEST.equalSeconds(large, ranked(one, 3, false))).isCloseTo(6, within(1e-9));
        assertThat(CHEAPEST.equalSeconds(two, ranked(one, 3, false))).isCloseTo(1.5, within(1e-9));
    }

    @Test
    void limitsHoldToTheLastDayAndDollar() {
        double dollars = FASTEST.cost(one, 2).usd();
        double days = FASTEST.cost(one, 2).days();
        assertThat(goal(Objective.FASTEST, days, dollars).allows(one, 2)).isTrue();
        assertThat(goal(Objective.FASTEST, days, NO_LIMIT).allows(one, 2.001)).isFalse();
        assertThat(goal(Objective.FASTEST, NO_LIMIT, dollars).allows(one, 2.001))
                .isFalse();
        assertThat(FASTEST.allows(unpriced, 2)).isTrue();
        assertThat(CHEAPEST.allows(unpriced, 2)).isFalse();
        assertThat(FASTEST.asksForMoney()).isFalse();
        assertThat(CHEAPEST.asksForMoney()).isTrue();
        assertThat(goal(Objective.FASTEST, NO_LIMIT, 1).asksForMoney()).isTrue();
    }

    @Test
    void thePlainestWithinOnePercentGoesFirst() {
        Candidate split = with("strategy.tensor_parallel", "2");
        List<Plan.Ranked> all = new ArrayList<>(List.of(
                ranked(split, 1, false),
                ranked(split, 1.001, false),
                ranked(one, 1.01, false),
                ranked(one, 1.02, false)));
        List<Plan.Ranked> before = List.copyOf(all);
        FASTEST.plainFirst(all);
        assertThat(all).containsExactly(before.get(2), before.get(0), before.get(1), before.get(3));

        List<Plan.Ranked> far = new ArrayList<>(List.of(ranked(split, 1, false), ranked(one, 1.011, false)));
        before = List.copyOf(far);
        FASTEST.plainFirst(far);
        assertThat(far).isEqualTo(before);

        List<Plan.Ranked> tight = new ArrayList<>(List.of(ranked(split, 1, false), ranked(one, 1, true)));
        before = List.copyOf(tight);
        FASTEST.plainFirst(tight);
        assertThat(tight).isEqualTo(before);
    }

    @Test
    void whatHasRoomComesBeforeWhatIsTight() {
        List<Plan.Ranked> all =
                new ArrayList<>(List.of(ranked(one, 1, true), ranked(one, 3, false), ranked(one, 2, false)));
        List<Plan.Ranked> before = List.copyOf(all);
        all.sort(FASTEST.bestFirst());
        assertThat(all).containsExactly(before.get(2), before.get(1), before.get(0));

        Plan.Ranked other = before.get(1);
        assertThat(hope(one, 2.999, false).mayBeat(other, FASTEST)).isTrue();
        assertThat(hope(one, 3, false).mayBeat(other, FASTEST)).isFalse();
        assertThat(hope(one, 1, true).mayBeat(other, FASTEST)).isFalse();
        assertThat(hope(one, 9, false).mayBeat(before.get(0), FASTEST)).isTrue();
    }

    private static BoundedCandidate hope(Candidate candidate, double seconds, boolean tight) {
        return new BoundedCandidate(candidate, Objective.FASTEST.score(candidate, seconds), tight);
    }

    /** The search for the best candidate of one strategy, plan by plan. */
    private static final class Search {
        final List<Candidate> candidates = new ArrayList<>();
        final List<Integer> checks = new ArrayList<>();
        final OtherStrategy strategy;

        @Nullable
        BoundedCandidate next;

        /** @param seconds bounds of candidates, none of which is known to be tight */
        Search(@Nullable Double unbeaten, double... seconds) throws Exception {
            List<BoundedCandidate> hopes = new ArrayList<>();
            for (double each : seconds) {
                candidates.add(candidate(PRICED.formatted(1), 64, Map.of("number", "" + candidates.size())));
                hopes.add(hope(candidates.get(candidates.size() - 1), each, false));
            }
            strategy = new OtherStrategy(
                    "zero3", "ZeRO-3", FASTEST, hopes, unbeaten == null ? null : ranked(one, unbeaten, false));
        }

        /**
         * Returns the index of the next candidate to run, -1 for none; the bound of a written plan is higher than the candidate's by a given amount.
         */
        int next(int atOnce, double more) throws Exception {
            next = strategy.next(
                    hopes -> {
                        checks.add(hopes.size());
                        return hopes.stream()
                                .map(each -> new BoundedCandidate(
                                        each.candidate(),
                                        each.score() + Objective.FASTEST.score(one, more),
                                        each.tight()))
                                .toList();
                    },
                    atOnce);
            BoundedCandidate found = next;
            return found == null ? -1 : candidates.indexOf(found.candidate());
        }

        void ends(Ending ending) {
            Candidate running = Objects.requireNonNull(next).candidate();
            PointRuns runs =
                    new PointRuns(List.of(new Scenario("made-up", "made-up.yaml", false, List.of(running.point()))), 1);
            runs.runAll(
                    new ScenarioRunner() {
                        @Override
                        public RunResult run(ScenarioPoint point) {
                            return ending.of(point);
                        }

                        @Override
                        public void close() {}
                    },
                    (share, what) -> {});
            strategy.settle(runs);
        }
    }

    private interface Ending {
        RunResult of(ScenarioPoint point);
    }

    private static Ending after(double seconds) {
        return point -> run(seconds, false);
    }

    private static Ending throwing(RuntimeException failure) {
        return point -> {
            throw failure;
        };
    }

    @Test
    void theBestOfAStrategyIsProvenWhenNoBoundIsLower() throws Exception {
        Search search = new Search(null, 1, 2, 3, 4);
        assertThat(search.next(2, 0.5)).isZero();
        assertThat(search.strategy.isKnown()).isFalse();
        search.ends(after(2.6));
        assertThat(search.next(2, 0.5)).isEqualTo(1);
        assertThat(search.strategy.result().proven()).isFalse();
        search.ends(after(2.7));
        assertThat(search.next(2, 0.5)).isEqualTo(-1);
        assertThat(search.checks).as("plans of those that may be better").containsExactly(2);
        Plan.Other result = search.strategy.result();
        assertThat(search.strategy.isKnown()).isTrue();
        assertThat(result.proven()).isTrue();
        assertThat(result.available()).isTrue();
        assertThat(result.kind()).isEqualTo("zero3");
        assertThat(result.title()).isEqualTo("ZeRO-3");
        Plan.Ranked best = Objects.requireNonNull(result.best());
        assertThat(best.run().meanStepSeconds()).isCloseTo(2.6, within(1e-9));
        assertThat(best.cost().days()).isCloseTo(2.6, within(1e-6));
        // Nothing runs, so that nothing comes of it.
        search.next = hope(one, 1, false);
        search.ends(throwing(tooLong));
        assertThat(search.strategy.result().proven()).isTrue();
    }

    /** A plan's bound is higher than the bound without a plan. */
    @Test
    void plansAreWrittenUntilTheLowestBoundIsThatOfAPlan() throws Exception {
        Search search = new Search(null, 1, 2, 3, 6, 7);
        assertThat(search.next(1, 5)).isZero();
        assertThat(search.checks).containsExactly(1, 1, 1);
        Search all = new Search(null, 1, 2, 3);
        assertThat(all.next(2, 5)).isZero();
        assertThat(all.checks).containsExactly(2, 1);
    }

    @Test
    void theBestReplacesTheBestBefore() throws Exception {
        Search search = new Search(null, 1, 1.5, 2);
        double[] seconds = {4, 3, 3};
        for (int i = 0; i < 3; i++) {
            assertThat(search.next(3, 0)).isEqualTo(i);
            RunLimits limits = search.strategy.limits(Objects.requireNonNull(search.next), 77);
            assertThat(limits.eventsMax()).isEqualTo(77);
            double end = limits.endMaxPs() == null ? 9 : limits.endMaxPs().getAsLong() * 1e-12;
            assertThat(end).isCloseTo(i == 0 ? 9 : seconds[i - 1], within(1e-9));
            search.ends(after(seconds[i]));
        }
        Plan.Ranked best = Objects.requireNonNull(search.strategy.result().best());
        assertThat(best.run().meanStepSeconds()).isCloseTo(3, within(1e-9));
        assertThat(best.candidate()).as("the first of equal ones").isEqualTo(search.candidates.get(1));
    }

    /** Any candidate with headroom ranks before tight ones. */
    @Test
    void aTightOneSetsNoLimit() throws Exception {
        Search search = new Search(null, 1, 5);
        search.next(2, 0);
        search.ends(point -> run(2, true));
        assertThat(search.next(2, 0)).isEqualTo(1);
        assertThat(search.strategy
                        .limits(Objects.requireNonNull(search.next), 77)
                        .endMaxPs())
                .isNull();
    }

    @Test
    void whatWasGivenUpLateIsNoBetterAndTheRestMayBe() throws Exception {
        Search search = new Search(null, 1);
        search.next(1, 0);
        search.ends(throwing(late));
        assertThat(search.next(1, 0)).isEqualTo(-1);
        assertThat(search.strategy.result()).isEqualTo(new Plan.Other("zero3", "ZeRO-3", true, null, true));
        assertThat(search.strategy.isKnown()).isTrue();
        for (RuntimeException failure : List.of(tooLong, new IllegalStateException("broken rule"))) {
            Search doubtful = new Search(null, 1);
            doubtful.next(1, 0);
            doubtful.ends(throwing(failure));
            assertThat(doubtful.next(1, 0)).isEqualTo(-1);
            assertThat(doubtful.strategy.result().proven()).isFalse();
            assertThat(doubtful.strategy.isKnown()).isFalse();
        }
    }

    @Test
    void aSearchThatIsLeftProvesNothing() throws Exception {
        Search search = new Search(null, 1);
        search.next(1, 0);
        search.ends(after(1));
        search.next(1, 0);
        assertThat(search.strategy.result().proven()).isTrue();
        search.strategy.leave();
        assertThat(search.strategy.result().proven()).isFalse();
        assertThat(search.strategy.isKnown()).isTrue();
    }

    @Test
    void whatIsNotAvailableIsNamedOnlyWhereItIsBetter() throws Exception {
        Search search = new Search(2.0, 1, 3);
        assertThat(search.next(1, 0)).isZero();
        search.ends(after(2.5));
        assertThat(search.strategy.result().best()).isNull();
        assertThat(search.strategy.result().available()).isFalse();
        Search better = new Search(2.0, 1);
        better.next(1, 0);
        better.ends(after(1.5));
        assertThat(Objects.requireNonNull(better.strategy.result().run()).meanStepSeconds())
                .isCloseTo(1.5, within(1e-9));
    }
}
