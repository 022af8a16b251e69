package io.shardsim.scenarios.planning;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.strategy.Software;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
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

    /** Concurrent waves, so that no thread waits for the slowest candidate of one. */
    private static final int WAVES = 2;

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
    /** Candidates whose software is not available, and their strategies. */
    private final List<Candidate> unavailable = new ArrayList<>();

    private final Set<String> unavailableKinds = new LinkedHashSet<>();
    private final Goal goal;
    private final int threads;
    private final ExecutorService workers;
    private final ExecutorService waves;
    private final List<Plan.Ranked> ranked = new ArrayList<>();
    /** The best candidate that misses the limits. */
    private Plan.@Nullable Ranked beyondLimits;

    private final List<Plan.TooLarge> tooLarge = new ArrayList<>();
    /** Results of checked candidates, whose plans were written; by identity. */
    private final Map<Candidate, Optional<BoundedCandidate>> checkedOnes = new IdentityHashMap<>();

    private Carrier carrier = candidate -> candidate;
    private int unwritten;
    private int prunedByMemory;
    private int prunedAsTight;
    /** Candidates run to the end, or until they could no longer be among the best; by identity. */
    private final Set<Candidate> simulated = Collections.newSetFromMap(new IdentityHashMap<>());

    private int waveNumber;
    private final Standing standing;

    /** Postponed candidates, best bound first. */
    private final PriorityQueue<BoundedCandidate> costly = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
    /** Candidates stopped while they ran. */
    private final List<BoundedCandidate> unfinished = new ArrayList<>();

    /** State: guarded by this. */
    private boolean interrupted;

    private boolean outOfTime;
    /** Whether a candidate has run to its end. */
    private boolean ran;

    private final Deque<Wave> running = new ArrayDeque<>();

    /** A candidate with the answer to a question about it. */
    private record Answered<T>(Candidate candidate, T answer) {}

    /** Candidates simulated together. */
    private record Wave(List<BoundedCandidate> hopes, PointRuns runs, Future<?> done) {}

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
            hasRun();
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
        workers = Executors.newFixedThreadPool(threads, task -> daemon(task, "prospect"));
        waves = Executors.newFixedThreadPool(WAVES, task -> daemon(task, "wave"));
        space = SearchSpace.of(file, nodesMax, progress, enough);
        if (goal.asksForMoney()
                && space.candidates().stream()
                        .noneMatch(one -> goal.cost(one, 1).hasPrice())) {
            throw new InputException(
                    file.file(), "has no price; set cluster.price, or plan for the fastest without a budget");
        }
        scenario = space.candidates().get(0).point().scenario();
        searched = space.candidates().size();
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
        for (Candidate candidate : space.candidates()) {
            Software its = Strategies.software(candidate.kind());
            boolean anyones = its.only().isEmpty() || its.name().equals(written);
            if (software.isEmpty() ? !anyones : !software.contains(its.name())) {
                unavailable.add(candidate);
                unavailableKinds.add(candidate.kind());
            }
        }
        space.candidates().removeIf(this::isUnavailable);
        searched = space.candidates().size();
        if (searched == 0) {
            String kind = unavailable.get(0).kind();
            throw new InputException(
                    scenario,
                    "has no strategy that runs in the available software; strategy " + kind + " needs --available "
                            + Strategies.software(kind).name());
        }
    }

    private boolean isUnavailable(Candidate candidate) {
        return unavailableKinds.contains(candidate.kind());
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
        carrier = framework;
        List<Candidate> candidates = space.candidates();
        Candidate first = candidates.get(0);
        int before = candidates.size();
        candidates.removeIf(candidate -> !kinds.contains(candidate.kind()));
        unwritten = before - candidates.size();
        unavailableKinds.retainAll(kinds);
        unavailable.removeIf(candidate -> !isUnavailable(candidate));
        if (candidates.isEmpty()) {
            framework.carry(first);
        }
    }

    /** Returns the name of the planned scenario. */
    public String scenario() {
        return scenario;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
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
        List<BoundedCandidate> unchecked = hopes(space.candidates(), progress);
        List<BoundedCandidate> first = new FirstLook(this::check).choose(unchecked);
        if (!first.isEmpty()) {
            start(first, new Race(runner, waveNumber++, EVENTS_AT_FIRST, first), atOnce);
            show(0, unchecked.size(), progress);
            finish(0);
        }
        int next = 0;
        PriorityQueue<BoundedCandidate> checked = new PriorityQueue<>(BoundedCandidate.BEST_FIRST);
        boolean more = true;
        while (more && !isStopped()) {
            int enough = next + CHECKED_BEFORE_RUNS;
            while (isMoreToCheck(unchecked, next, checked) && next < enough) {
                int end = Math.min(next + CHECKED_AT_ONCE, unchecked.size());
                check(unchecked.subList(next, end)).stream()
                        .filter(hope -> !simulated.contains(hope.candidate()))
                        .forEach(checked::add);
                next = end;
                show(next, unchecked.size(), progress);
            }
            boolean early = isMoreToCheck(unchecked, next, checked);
            List<BoundedCandidate> wave = wave(checked, early ? FEW : WAVE);
            if (!wave.isEmpty()) {
                start(wave, new Race(runner, waveNumber++, EVENTS_AT_FIRST, wave), atOnce);
                finish(WAVES - 1);
            } else if (!early && !finish(0)) {
                wave = wave(costly, WAVE);
                more = !wave.isEmpty();
                if (more) {
                    start(wave, new Race(runner, waveNumber++, Long.MAX_VALUE, wave), atOnce);
                    finish(WAVES - 1);
                }
            }
            show(next, unchecked.size(), progress);
        }
        finish(0);
        if (simulated.isEmpty() && !tooLarge.isEmpty()) {
            throw tooLarge.get(0).why();
        }
        // The first look checked some of these.
        List<BoundedCandidate> rest = unchecked.subList(next, unchecked.size()).stream()
                .filter(hope -> !simulated.contains(hope.candidate()))
                .filter(hope -> checkedOnes
                        .getOrDefault(hope.candidate(), Optional.of(hope))
                        .isPresent())
                .toList();
        Plan.Ending ending = ending(checked, rest);
        goal.plainFirst(ranked);
        List<Plan.Other> others =
                ending == Plan.Ending.PROVEN ? others(unchecked, runner, atOnce, progress) : othersSoFar();
        // Runs that finished meanwhile were ranked, too.
        goal.plainFirst(ranked);
        simulated.removeIf(this::isUnavailable);
        tooLarge.removeIf(one -> isUnavailable(one.candidate()));
        return new Plan(
                scenario,
                goal,
                ranked,
                beyondLimits,
                others,
                new Plan.Counts(
                        searched,
                        space.refusals(),
                        unwritten,
                        prunedByMemory,
                        prunedAsTight,
                        searched - unwritten - prunedByMemory - simulated.size() - tooLarge.size() - ending.left(),
                        simulated.size()),
                tooLarge,
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
        if (!isStopped()) {
            return space.unlisted() == 0
                    ? Plan.Ending.PROVEN
                    : new Plan.Ending(Plan.Reason.OUT_OF_TIME, 0, 0, space.unlisted());
        }
        Set<Candidate> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        List<BoundedCandidate> open = Stream.of(checked, unchecked, costly, unfinished)
                .flatMap(Collection::stream)
                .filter(hope -> !isProven(hope) && counted.add(hope.candidate()))
                .toList();
        open.forEach(hope -> simulated.remove(hope.candidate()));
        double least = open.stream().mapToDouble(BoundedCandidate::score).min().orElse(Double.POSITIVE_INFINITY);
        double gap = ranked.isEmpty() ? 1 : Math.max(0, 1 - least / goal.score(ranked.get(0)));
        return new Plan.Ending(
                isInterrupted() ? Plan.Reason.INTERRUPTED : Plan.Reason.OUT_OF_TIME,
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
                        unavailable.stream()
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
        List<BoundedCandidate> beyond = hopes(unavailable, progress);
        for (Candidate one : unavailable) {
            others.computeIfAbsent(
                    one.kind(), kind -> new OtherStrategy(kind, one.title(), goal, of(kind, beyond), best));
        }
        ranked.stream()
                .limit(Plan.BEST)
                .forEach(one -> others.remove(one.candidate().kind()));
        List<OtherStrategy> open = new ArrayList<>(others.values());
        while (!open.isEmpty() && !isStopped()) {
            List<BoundedCandidate> next = new ArrayList<>();
            Map<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();
            for (OtherStrategy one : List.copyOf(open)) {
                BoundedCandidate hope = one.next(this::check, CHECKED_AT_ONCE);
                if (isStopped()) {
                    break;
                }
                if (hope == null) {
                    open.remove(one);
                } else {
                    next.add(hope);
                    limits.put(hope.candidate().point(), one.limits(hope, EVENTS_AT_FIRST));
                }
            }
            start(next, limited(runner, limits), atOnce);
            Wave wave = oldest(0);
            finish(0);
            if (wave != null) {
                open.forEach(one -> one.settle(wave.runs()));
            }
            progress.show(1, "the best of other strategies, " + simulated.size() + " simulated");
        }
        open.forEach(OtherStrategy::leave);
        tooLarge.forEach(one -> others.remove(one.candidate().kind()));
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
        return next < unchecked.size() && isWorthChecking(unchecked.get(next), checked) && !isStopped();
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

    /** Returns candidates that fit and may meet the limits, with the bounds of their plans; writes no plan twice. */
    private List<BoundedCandidate> check(List<BoundedCandidate> hopes) throws InterruptedException {
        List<Candidate> candidates = hopes.stream()
                .map(BoundedCandidate::candidate)
                .filter(candidate -> !checkedOnes.containsKey(candidate))
                .toList();
        for (Answered<PointBounds> one :
                each(candidates, candidate -> PointBounds.of(candidate.point()), (share, what) -> {})) {
            PointBounds prospect = one.answer();
            boolean fits = prospect.fits() && (goal.tight() || !prospect.tight());
            if (!fits && !isUnavailable(one.candidate())) {
                prunedByMemory++;
                prunedAsTight += prospect.fits() ? 1 : 0;
            }
            checkedOnes.put(
                    one.candidate(),
                    fits ? hope(one.candidate(), prospect.leastStepSeconds(), prospect.tight()) : Optional.empty());
        }
        tooLarge.forEach(one -> checkedOnes.putIfAbsent(one.candidate(), Optional.empty()));
        return hopes.stream()
                .flatMap(hope -> checkedOnes.getOrDefault(hope.candidate(), Optional.empty()).stream())
                .toList();
    }

    /** A candidate before its plan is written: why a framework's files cannot express it, or else the point that runs. */
    private record Look(@Nullable InputException unwritable, Candidate candidate, double leastStepSeconds) {}

    private Look look(Candidate candidate) {
        try {
            Candidate carried = carrier.carry(candidate);
            return new Look(null, carried, PointBounds.leastComputeSeconds(carried.point()));
        } catch (InputException why) {
            return new Look(why, candidate, Double.POSITIVE_INFINITY);
        }
    }

    /** Returns candidates, best bound first. */
    private List<BoundedCandidate> hopes(List<Candidate> candidates, ProgressListener progress)
            throws InterruptedException, InputException {
        List<BoundedCandidate> hopes = new ArrayList<>();
        InputException unwritable = null;
        for (Answered<Look> one : each(candidates, this::look, progress)) {
            Look look = one.answer();
            if (look.unwritable() == null) {
                hope(look.candidate(), look.leastStepSeconds(), false).ifPresent(hopes::add);
            } else if (!isUnavailable(look.candidate())) {
                unwritten++;
                unwritable = unwritable == null ? look.unwritable() : unwritable;
            }
        }
        if (unwritable != null && unwritten == searched) {
            throw unwritable;
        }
        return byScore(hopes);
    }

    /** Returns a candidate's bound; empty if it cannot meet the limits even at its bound. */
    private Optional<BoundedCandidate> hope(Candidate candidate, double leastStepSeconds, boolean tight) {
        if (!goal.allows(candidate, leastStepSeconds)) {
            return Optional.empty();
        }
        return Optional.of(new BoundedCandidate(candidate, goal.objective().score(candidate, leastStepSeconds), tight));
    }

    private static List<BoundedCandidate> byScore(List<BoundedCandidate> hopes) {
        return hopes.stream().sorted(BoundedCandidate.BEST_FIRST).toList();
    }

    /**
     * Applies a question to each candidate on all threads, keeping their order. Skips those too large to check, and after an interruption all further
     * ones.
     */
    private <T> List<Answered<T>> each(
            List<Candidate> candidates, Function<Candidate, T> question, ProgressListener progress)
            throws InterruptedException {
        List<Future<T>> asked = new ArrayList<>();
        candidates.forEach(candidate -> asked.add(workers.submit(() -> question.apply(candidate))));
        List<Answered<T>> answers = new ArrayList<>();
        for (int i = 0; i < asked.size() && !isStopped(); i++) {
            try {
                answers.add(new Answered<>(candidates.get(i), await(asked.get(i))));
            } catch (TooLargeException why) {
                tooLarge.add(new Plan.TooLarge(candidates.get(i), why));
            }
            progress.show((i + 1.0) / candidates.size(), (i + 1) + " of " + candidates.size() + " candidates checked");
        }
        return answers;
    }

    private static <T> T await(Future<T> asked) throws InterruptedException {
        try {
            return asked.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof TooLargeException tooLarge) {
                throw tooLarge;
            }
            if (failure.getCause() instanceof ClassPathException broken) {
                throw broken;
            }
            if (failure.getCause() instanceof ArithmeticException overflow) {
                throw TooLargeException.of(overflow);
            }
            throw new IllegalStateException("a candidate cannot be checked: " + failure.getMessage(), failure);
        }
    }

    private boolean isProven(BoundedCandidate next) {
        return ranked.size() >= Plan.BEST
                && !next.mayBeat(ranked.get(Plan.BEST - 1), goal)
                && next.score() >= goal.nearBest(ranked.get(0));
    }

    private void start(List<BoundedCandidate> hopes, ScenarioRunner wave, int atOnce) {
        List<ScenarioPoint> points =
                hopes.stream().map(hope -> hope.candidate().point()).toList();
        PointRuns runs = new PointRuns(List.of(new Scenario(scenario, "", true, points)), atOnce, true);
        synchronized (this) {
            if (!isStopped()) {
                running.add(new Wave(hopes, runs, waves.submit(() -> runs.runAll(wave, (share, what) -> {}))));
            } else {
                unfinished.addAll(hopes);
            }
        }
    }

    /** Waits for the oldest waves until at most a number of them run; returns false if none ran. */
    private boolean finish(int left) throws InterruptedException {
        boolean some = false;
        for (Wave wave = oldest(left); wave != null; wave = oldest(left)) {
            some = true;
            await(wave.done());
            if (!wave.runs().failures().isEmpty() && !wave.runs().onlyRefused()) {
                throw new IllegalStateException(
                        String.join(System.lineSeparator(), wave.runs().failures()));
            }
            for (BoundedCandidate hope : wave.hopes()) {
                settle(hope, wave.runs());
            }
            rank();
            synchronized (this) {
                running.remove();
            }
        }
        return some;
    }

    /** Records a candidate's result. */
    private void settle(BoundedCandidate hope, PointRuns runs) {
        Candidate candidate = hope.candidate();
        RunResult run = runs.result(candidate.point());
        TooLargeException why = runs.refusal(candidate.point());
        RunLimitException givenUp = runs.givenUp(candidate.point());
        if (why != null) {
            tooLarge.add(new Plan.TooLarge(candidate, why));
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

    private synchronized @Nullable Wave oldest(int left) {
        return running.size() > left ? running.peek() : null;
    }

    private void keep(Candidate candidate, RunResult run) {
        double seconds = run.meanStepSeconds();
        if (run.training() == null || isUnavailable(candidate)) {
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
    public synchronized void interrupt() {
        interrupted = true;
        running.forEach(wave -> wave.runs().interrupt());
    }

    /** Stops like {@link #interrupt}, but not before a first candidate has run. */
    public synchronized void endTime() {
        outOfTime = true;
        if (isStopped()) {
            running.forEach(wave -> wave.runs().interrupt());
        }
    }

    private synchronized void hasRun() {
        ran = true;
        if (outOfTime) {
            endTime();
        }
    }

    private synchronized boolean isStopped() {
        return interrupted || outOfTime && ran;
    }

    private synchronized boolean isInterrupted() {
        return interrupted;
    }

    @Override
    public void close() {
        workers.shutdownNow();
        waves.shutdownNow();
    }
}
