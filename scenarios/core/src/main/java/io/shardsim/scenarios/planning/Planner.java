package io.shardsim.scenarios.planning;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the best candidates without simulating them all. Exact memory rules out what does not fit. The rest is simulated in order of a lower bound
 * until the next bound is no better than the last of the best: the remaining candidates cannot be among them.
 *
 * <p>Candidates are simulated in waves. While one runs, the next is chosen from the results of the waves before it. Size and lead of waves do not
 * depend on the number of threads, so neither does the plan. A running candidate is given up once it cannot be among the best. One with very many
 * events is postponed until no other is left: other results may rule it out, and a search that runs out of time has covered more.
 */
public final class Planner implements AutoCloseable {
    /** Candidates between two updates of the ranking. */
    private static final int WAVE = 8;

    /** Candidates whose plans are written before the next decision. */
    private static final int CHECKED_AT_ONCE = 16;

    /** Candidates checked before the best of them run, though a better one may still turn up: a good result is known soon. */
    private static final int CHECKED_BEFORE_RUNS = 256;

    /** Number of candidates that run then. */
    private static final int FEW = 2;

    /** Events after which a candidate is postponed: some seconds. */
    private static final long EVENTS_AT_FIRST = 10_000_000;

    private final SearchSpace space;
    private final String scenario;
    private int searched;
    private final UnavailableSoftware unavailable = new UnavailableSoftware();
    private final Goal goal;
    private final int threads;
    private final CandidateChecks checks;
    private final Waves waves;
    private final List<Plan.Ranked> ranked = new ArrayList<>();
    /** The best candidate that misses the limits. */
    private Plan.@Nullable Ranked beyondLimits;

    /** Candidates run to the end, or until they could no longer be among the best; by identity. */
    private final Set<Candidate> simulated = Collections.newSetFromMap(new IdentityHashMap<>());

    private int waveNumber;
    private final Standing standing;

    /** Postponed candidates, best bound first. */
    private final PriorityQueue<BoundedCandidate> costly = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
    /** Candidates stopped while they ran. */
    private final List<BoundedCandidate> unfinished = new ArrayList<>();

    /** Runs a wave's candidates for as long as they may be among the best. */
    private final class Race extends ForwardingRunner {
        private final int wave;
        private final long eventsMax;
        private final IdentityHashMap<ScenarioPoint, Candidate> candidates = new IdentityHashMap<>();

        Race(ScenarioRunner runner, int wave, long eventsMax, List<BoundedCandidate> hopes) {
            super(runner);
            this.wave = wave;
            this.eventsMax = eventsMax;
            hopes.forEach(hope -> candidates.put(hope.candidate().point(), hope.candidate()));
        }

        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            Candidate candidate = Objects.requireNonNull(candidates.get(point), "another wave's point");
            RunResult run = runner().run(point, new RunLimits(eventsMax, () -> standing.endMaxPs(wave, candidate)));
            standing.add(wave, candidate, run);
            waves.hasRun();
            return run;
        }
    }

    /**
     * Lists the candidates.
     *
     * @param nodesMax largest cluster if the file leaves the number of nodes open
     * @param progress receives the number of candidates so far
     * @throws InputException with the file's problems if nothing in it can run
     */
    public Planner(Variations file, Goal goal, int nodesMax, int threads, ProgressListener progress)
            throws InputException {
        this(file, goal, nodesMax, threads, progress, count -> false);
    }

    /**
     * Lists candidates until there are enough.
     *
     * @param enough tests the number of candidates so far
     */
    public Planner(
            Variations file, Goal goal, int nodesMax, int threads, ProgressListener progress, IntPredicate enough)
            throws InputException {
        this.goal = goal;
        this.threads = threads;
        standing = new Standing(goal);
        space = SearchSpace.of(file, nodesMax, progress, enough);
        if (goal.asksForMoney()
                && space.candidates().stream()
                        .noneMatch(one -> goal.cost(one, 1).hasPrice())) {
            throw new InputException(
                    file.file(), "has no price; set cluster.price, or plan for the fastest without a budget");
        }
        scenario = space.candidates().get(0).point().scenario();
        searched = space.candidates().size();
        waves = new Waves(scenario);
        checks = new CandidateChecks(goal, unavailable, threads, waves::isStopped);
    }

    /**
     * Excludes strategies that need other software; the plan still reports their gain.
     *
     * @param software names of available software; if empty, software that anyone can install and the file's own choice
     * @param written the software to write files for; available unless others are named
     * @throws InputException if nothing is left
     */
    public void available(List<String> software, @Nullable String written) throws InputException {
        if (software.isEmpty() && space.namesStrategies()) {
            return;
        }
        unavailable.takeFrom(space, software, written);
        searched = space.candidates().size();
    }

    /** Converts candidates to the runs of a framework's files. */
    public interface Carrier {
        /**
         * Returns the candidate as it runs from the framework's files.
         *
         * @throws InputException with the settings that the files cannot express
         */
        Candidate carry(Candidate candidate) throws InputException;
    }

    /**
     * Excludes candidates that a framework cannot run or express, and considers the others as they run from its files.
     *
     * @param kinds kinds of strategies that it supports
     * @throws InputException if it runs none of the candidates
     */
    public void restrict(List<String> kinds, Carrier framework) throws InputException {
        List<Candidate> candidates = space.candidates();
        Candidate first = candidates.get(0);
        int before = candidates.size();
        candidates.removeIf(candidate -> !kinds.contains(candidate.kind()));
        checks.carriedBy(framework, before - candidates.size());
        unavailable.retain(kinds);
        if (candidates.isEmpty()) {
            framework.carry(first);
        }
    }

    /** Returns the name of the planned scenario. */
    public String scenario() {
        return scenario;
    }

    /** Searches until the best are proven, or until {@link #interrupt}; runs one candidate per thread. */
    public Plan plan(ScenarioRunner runner, ProgressListener progress) throws InterruptedException, InputException {
        return plan(runner, threads, progress);
    }

    /** Searches with a runner that uses no threads of this JVM: all candidates of a wave are submitted at once. */
    public Plan planElsewhere(ScenarioRunner runner, ProgressListener progress)
            throws InterruptedException, InputException {
        return plan(runner, WAVE, progress);
    }

    private Plan plan(ScenarioRunner runner, int atOnce, ProgressListener progress)
            throws InterruptedException, InputException {
        List<BoundedCandidate> unchecked = checks.bounded(space.candidates(), searched, progress);
        List<BoundedCandidate> first = new FirstLook(checks).choose(unchecked);
        if (!first.isEmpty()) {
            waves.start(first, new Race(runner, waveNumber++, EVENTS_AT_FIRST, first), atOnce);
            show(0, unchecked.size(), progress);
            finish(0);
        }
        int next = 0;
        PriorityQueue<BoundedCandidate> checked = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
        boolean more = true;
        while (more && !waves.isStopped()) {
            int enough = next + CHECKED_BEFORE_RUNS;
            while (isMoreToCheck(unchecked, next, checked) && next < enough) {
                int end = Math.min(next + CHECKED_AT_ONCE, unchecked.size());
                checks.fitting(unchecked.subList(next, end)).stream()
                        .filter(hope -> !simulated.contains(hope.candidate()))
                        .forEach(checked::add);
                next = end;
                show(next, unchecked.size(), progress);
            }
            boolean early = isMoreToCheck(unchecked, next, checked);
            List<BoundedCandidate> wave = wave(checked, early ? FEW : WAVE);
            if (!wave.isEmpty()) {
                waves.start(wave, new Race(runner, waveNumber++, EVENTS_AT_FIRST, wave), atOnce);
                finish(Waves.CONCURRENT - 1);
            } else if (!early && !finish(0)) {
                wave = wave(costly, WAVE);
                more = !wave.isEmpty();
                if (more) {
                    waves.start(wave, new Race(runner, waveNumber++, Long.MAX_VALUE, wave), atOnce);
                    finish(Waves.CONCURRENT - 1);
                }
            }
            show(next, unchecked.size(), progress);
        }
        finish(0);
        if (simulated.isEmpty() && !checks.tooLarge().isEmpty()) {
            throw checks.tooLarge().get(0).why();
        }
        // The first look checked some of these.
        List<BoundedCandidate> rest = unchecked.subList(next, unchecked.size()).stream()
                .filter(hope -> !simulated.contains(hope.candidate()))
                .filter(hope -> checks.mayFit(hope.candidate()))
                .toList();
        Plan.Ending ending = ending(checked, rest);
        goal.plainFirst(ranked);
        List<Plan.Other> others =
                ending == Plan.Ending.PROVEN ? others(unchecked, runner, atOnce, progress) : othersSoFar();
        // Runs that finished in the meantime are ranked as well.
        goal.plainFirst(ranked);
        simulated.removeIf(unavailable::has);
        checks.tooLarge().removeIf(one -> unavailable.has(one.candidate()));
        return new Plan(
                scenario,
                goal,
                ranked,
                beyondLimits,
                others,
                new Plan.Counts(
                        searched,
                        space.refusals(),
                        checks.unwritten(),
                        checks.prunedByMemory(),
                        checks.prunedAsTight(),
                        searched
                                - checks.unwritten()
                                - checks.prunedByMemory()
                                - simulated.size()
                                - checks.tooLarge().size()
                                - ending.left(),
                        simulated.size()),
                checks.tooLarge(),
                ending);
    }

    /** Returns the next candidates to simulate. */
    private List<BoundedCandidate> wave(PriorityQueue<BoundedCandidate> hopes, int size) {
        List<BoundedCandidate> wave = new ArrayList<>();
        while (wave.size() < size && !hopes.isEmpty() && !isProven(hopes.peek())) {
            wave.add(hopes.remove());
        }
        return wave;
    }

    /** Returns how the search ended; postponed candidates not reached count as not simulated. */
    private Plan.Ending ending(Collection<BoundedCandidate> checked, List<BoundedCandidate> unchecked) {
        if (!waves.isStopped()) {
            return space.unlisted() == 0
                    ? Plan.Ending.PROVEN
                    : new Plan.Ending(Plan.Reason.OUT_OF_TIME, 0, 0, space.unlisted());
        }
        Set<Candidate> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        List<BoundedCandidate> open = Stream.of(checked, unchecked, costly, unfinished, waves.left())
                .flatMap(Collection::stream)
                .filter(hope -> !isProven(hope) && counted.add(hope.candidate()))
                .toList();
        open.forEach(hope -> simulated.remove(hope.candidate()));
        double least = open.stream().mapToDouble(BoundedCandidate::score).min().orElse(Double.POSITIVE_INFINITY);
        double gap = ranked.isEmpty() ? 1 : Math.max(0, 1 - least / goal.score(ranked.get(0)));
        return new Plan.Ending(
                waves.isInterrupted() ? Plan.Reason.INTERRUPTED : Plan.Reason.OUT_OF_TIME,
                open.size(),
                gap,
                space.unlisted());
    }

    /** Returns the best so far of each strategy without a candidate among the best. */
    private List<Plan.Other> othersSoFar() {
        Set<String> kinds = new HashSet<>();
        Stream<Plan.Other> behind = ranked.stream()
                .filter(one -> kinds.add(one.candidate().kind()) && ranked.indexOf(one) >= Plan.BEST)
                .map(one ->
                        new Plan.Other(one.candidate().kind(), one.candidate().title(), true, one, false));
        return Stream.concat(
                        behind,
                        unavailable.candidates().stream()
                                .map(one -> new Plan.Other(one.kind(), one.title(), false, null, false))
                                .distinct())
                .toList();
    }

    /**
     * Finds the best of each strategy without a candidate among the best, as far as time allows. Ignores which candidates were given up before, since
     * that depends on the threads. Skips strategies whose candidates are too large.
     */
    private List<Plan.Other> others(
            List<BoundedCandidate> all, ScenarioRunner runner, int atOnce, ProgressListener progress)
            throws InterruptedException, InputException {
        if (ranked.isEmpty()) {
            return othersSoFar();
        }
        Map<String, OtherStrategy> others = new LinkedHashMap<>();
        for (Candidate one : space.candidates()) {
            others.computeIfAbsent(one.kind(), kind -> new OtherStrategy(kind, one.title(), goal, of(kind, all), null));
        }
        Plan.Ranked best = ranked.get(0);
        List<BoundedCandidate> beyond = checks.bounded(unavailable.candidates(), searched, progress);
        for (Candidate one : unavailable.candidates()) {
            others.computeIfAbsent(
                    one.kind(), kind -> new OtherStrategy(kind, one.title(), goal, of(kind, beyond), best));
        }
        ranked.stream()
                .limit(Plan.BEST)
                .forEach(one -> others.remove(one.candidate().kind()));
        List<OtherStrategy> open = new ArrayList<>(others.values());
        while (!open.isEmpty() && !waves.isStopped()) {
            List<BoundedCandidate> next = new ArrayList<>();
            Map<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();
            for (OtherStrategy one : List.copyOf(open)) {
                BoundedCandidate hope = one.next(checks::fitting, CHECKED_AT_ONCE);
                if (waves.isStopped()) {
                    break;
                }
                if (hope == null) {
                    open.remove(one);
                } else {
                    next.add(hope);
                    limits.put(hope.candidate().point(), one.limits(hope, EVENTS_AT_FIRST));
                }
            }
            waves.start(next, limited(runner, limits), atOnce);
            waves.finish(0, wave -> {
                settle(wave);
                open.forEach(one -> one.settle(wave.runs()));
            });
            progress.show(1, "the best of other strategies, " + simulated.size() + " simulated");
        }
        open.forEach(OtherStrategy::leave);
        checks.tooLarge().forEach(one -> others.remove(one.candidate().kind()));
        return others.values().stream()
                .filter(OtherStrategy::isKnown)
                .map(OtherStrategy::result)
                .toList();
    }

    private static List<BoundedCandidate> of(String kind, List<BoundedCandidate> hopes) {
        return hopes.stream()
                .filter(hope -> hope.candidate().kind().equals(kind))
                .toList();
    }

    private static ScenarioRunner limited(ScenarioRunner runner, Map<ScenarioPoint, RunLimits> limits) {
        return new ForwardingRunner(runner) {
            @Override
            public RunResult run(ScenarioPoint point) throws InterruptedException {
                return runner.run(point, Objects.requireNonNull(limits.get(point), "another wave's point"));
            }
        };
    }

    private void show(int checked, int all, ProgressListener progress) {
        progress.show(
                (double) checked / all,
                checked + " of " + all + " candidates checked, " + simulated.size() + " simulated" + bestSoFar());
    }

    private String bestSoFar() {
        return ranked.isEmpty()
                ? ""
                : "; best so far " + ranked.get(0).candidate().title() + " on "
                        + Quantities.counted(ranked.get(0).candidate().nodes(), "node") + ", "
                        + Quantities.threeDigits(ranked.get(0).samplesPerSecond()) + " samples/s";
    }

    private boolean isMoreToCheck(List<BoundedCandidate> unchecked, int next, PriorityQueue<BoundedCandidate> checked) {
        return next < unchecked.size() && isWorthChecking(unchecked.get(next), checked) && !waves.isStopped();
    }

    /** Returns whether a candidate may be better than the next ones to simulate. */
    private boolean isWorthChecking(BoundedCandidate hope, PriorityQueue<BoundedCandidate> checked) {
        return !isProven(hope)
                && (checked.size() < WAVE
                        || checked.stream()
                                        .filter(one -> BoundedCandidate.BEST_FIRST.compare(one, hope) <= 0)
                                        .limit(WAVE)
                                        .count()
                                < WAVE);
    }

    private boolean isProven(BoundedCandidate next) {
        return ranked.size() >= Plan.BEST
                && !next.mayBeat(ranked.get(Plan.BEST - 1), goal)
                && next.score() >= goal.nearBest(ranked.get(0));
    }

    /** Finishes the oldest waves until at most a number of them run; returns false if none ran. */
    private boolean finish(int most) throws InterruptedException {
        return waves.finish(most, this::settle);
    }

    private void settle(Waves.Wave wave) {
        wave.candidates().forEach(hope -> settle(hope, wave.runs()));
        rank();
    }

    /** Records a candidate's result. */
    private void settle(BoundedCandidate hope, PointRuns runs) {
        Candidate candidate = hope.candidate();
        RunResult run = runs.result(candidate.point());
        TooLargeException why = runs.refusal(candidate.point());
        RunLimitException givenUp = runs.givenUp(candidate.point());
        if (why != null) {
            checks.tooLarge().add(new Plan.TooLarge(candidate, why));
        } else if (run != null) {
            simulated.add(candidate);
            keep(candidate, run);
        } else if (givenUp != null) {
            boolean first = simulated.add(candidate);
            if (first && !givenUp.isLate()) {
                costly.add(hope);
            }
        } else {
            unfinished.add(hope);
        }
    }

    private void keep(Candidate candidate, RunResult run) {
        double seconds = run.meanStepSeconds();
        if (run.training() == null || unavailable.has(candidate)) {
            return;
        }
        Plan.Ranked one = new Plan.Ranked(candidate, run, goal.cost(candidate, seconds));
        if (goal.allows(candidate, seconds)) {
            ranked.add(one);
        } else if (beyondLimits == null || goal.bestFirst().compare(one, beyondLimits) < 0) {
            beyondLimits = one;
        }
    }

    /** Ranks candidates with headroom before tight ones, best first; among identical runs keeps the one listed first. */
    private void rank() {
        ranked.sort(goal.bestFirst());
        Set<String> kinds = new HashSet<>();
        ranked.removeIf(one -> !one.isNew(kinds));
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        waves.interrupt();
    }

    /** Stops like {@link #interrupt}, but not before a first candidate has run. */
    public void endTime() {
        waves.endTime();
    }

    @Override
    public void close() {
        checks.close();
        waves.close();
    }
}
