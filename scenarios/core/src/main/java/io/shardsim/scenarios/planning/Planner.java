package io.shardsim.scenarios.planning;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.Prospect;
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
 * Finds the best candidates without simulating them all. Memory is exact and rules out what does not fit. The rest is simulated in the order of a bound that no run
 * beats, until the next bound is no better than the last of the best: what is left cannot be among them.
 *
 * <p>Candidates are simulated in waves. While one runs, the next is chosen by what the waves before it came to: waves are as large, and as far ahead, whatever the
 * number of threads, so that the plan does not depend on it. A candidate that cannot be among the best any more is given up while it runs. One with very many events is
 * set aside until no other is left: what others came to may rule it out, and a search whose time is up has looked at more.
 */
public final class Planner implements AutoCloseable {
    /** Candidates between two looks at the ranking. */
    private static final int WAVE = 8;

    /** Waves that run at once, so that no thread waits for the slowest candidate of one. */
    private static final int WAVES = 2;

    /** Candidates whose plans are written before the next decision. */
    private static final int CHECKED_AT_ONCE = 16;

    /** Candidates that are checked until the best of them run, though a better one may yet be found: so something good is known soon. */
    private static final int CHECKED_BEFORE_RUNS = 256;

    /** So many run then. */
    private static final int FEW = 2;

    /** Events after which a candidate is set aside: some seconds. */
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
    /** The best of those that miss the limits. */
    private Plan.@Nullable Ranked beyondLimits;

    private final List<Plan.TooLarge> tooLarge = new ArrayList<>();
    /** What became of candidates whose plans were written; by identity. */
    private final Map<Candidate, Optional<Hope>> checkedOnes = new IdentityHashMap<>();

    private Carrier carrier = candidate -> candidate;
    private int unwritten;
    private int prunedByMemory;
    private int prunedAsTight;
    /** Candidates that ran to their end, or until they could not be among the best any more; by identity. */
    private final Set<Candidate> simulated = Collections.newSetFromMap(new IdentityHashMap<>());

    private int waveNumber;
    private final Standing standing;

    /** Set aside, the best bound first. */
    private final PriorityQueue<Hope> costly = new PriorityQueue<>(Hope.BEST_FIRST);
    /** Stopped while they ran. */
    private final List<Hope> unfinished = new ArrayList<>();

    /** State: guarded by this. */
    private boolean interrupted;

    private boolean outOfTime;
    /** Whether a candidate has run to its end. */
    private boolean ran;

    private final Deque<Wave> running = new ArrayDeque<>();

    /** A candidate that was looked at. */
    private record Answered<T>(Candidate candidate, T answer) {}

    /** Candidates that are simulated. */
    private record Wave(List<Hope> hopes, PointRuns runs, Future<?> done) {}

    /** Runs the candidates of a wave as far as they may be among the best. */
    private final class Race extends ForwardingRunner {
        private final int wave;
        private final long eventsMax;
        private final IdentityHashMap<ScenarioPoint, Candidate> candidates = new IdentityHashMap<>();

        Race(ScenarioRunner runner, int wave, long eventsMax, List<Hope> hopes) {
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
     * @param nodesMax largest cluster where the file leaves the number of nodes open
     * @param progress told how many there are so far
     * @throws InputException with what is wrong with the file where nothing in it can be run
     */
    public Planner(Variations file, Goal goal, int nodesMax, int threads, ProgressListener progress)
            throws InputException {
        this(file, goal, nodesMax, threads, progress, count -> false);
    }

    /**
     * The same until there are enough.
     *
     * @param enough given how many there are so far
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
     * Leaves out strategies that run in other software. Of these it is still told what they would gain.
     *
     * @param software names of what is there; empty for what anyone can install, and whatever the file itself asks for
     * @param written the software for which files are written; it is there unless others are named
     * @throws InputException where nothing is left
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

    /** What a framework makes of a candidate. */
    public interface Carrier {
        /**
         * The candidate as it runs from the framework's files.
         *
         * @throws InputException with what of it they cannot say
         */
        Candidate carry(Candidate candidate) throws InputException;
    }

    /**
     * Leaves out what a framework cannot run or say, and looks at the others as they run from its files.
     *
     * @param kinds of strategies that it runs
     * @throws InputException where it runs none of the candidates
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

    /** Name of the scenario that is planned. */
    public String scenario() {
        return scenario;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Searches until the best are proven, or until {@link #interrupt}; as many candidates run at once as there are threads. */
    public Plan plan(ScenarioRunner runner, ProgressListener progress) throws InterruptedException, InputException {
        return plan(runner, threads, progress);
    }

    /** The same where a runner takes no thread of this JVM: a wave's candidates are all on their way at once. */
    public Plan planElsewhere(ScenarioRunner runner, ProgressListener progress)
            throws InterruptedException, InputException {
        return plan(runner, WAVE, progress);
    }

    private Plan plan(ScenarioRunner runner, int atOnce, ProgressListener progress)
            throws InterruptedException, InputException {
        List<Hope> unchecked = hopes(space.candidates(), progress);
        List<Hope> first = new FirstLook(this::check).choose(unchecked);
        if (!first.isEmpty()) {
            start(first, new Race(runner, waveNumber++, EVENTS_AT_FIRST, first), atOnce);
            show(0, unchecked.size(), progress);
            finish(0);
        }
        int next = 0;
        PriorityQueue<Hope> checked = new PriorityQueue<>(Hope.BEST_FIRST);
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
            List<Hope> wave = wave(checked, early ? FEW : WAVE);
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
        // Of these, the first look checked some.
        List<Hope> rest = unchecked.subList(next, unchecked.size()).stream()
                .filter(hope -> !simulated.contains(hope.candidate()))
                .filter(hope -> checkedOnes
                        .getOrDefault(hope.candidate(), Optional.of(hope))
                        .isPresent())
                .toList();
        Plan.Ending ending = ending(checked, rest);
        goal.plainFirst(ranked);
        List<Plan.Other> others =
                ending == Plan.Ending.PROVEN ? others(unchecked, runner, atOnce, progress) : othersSoFar();
        // Those that ran meanwhile were ranked, too.
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

    /** The next to be simulated. */
    private List<Hope> wave(PriorityQueue<Hope> hopes, int size) {
        List<Hope> wave = new ArrayList<>();
        while (wave.size() < size && !hopes.isEmpty() && !isProven(hopes.peek())) {
            wave.add(hopes.remove());
        }
        return wave;
    }

    /** What was set aside has not been simulated where the search ends before its turn. */
    private Plan.Ending ending(Collection<Hope> checked, List<Hope> unchecked) {
        if (!isStopped()) {
            return space.unlisted() == 0
                    ? Plan.Ending.PROVEN
                    : new Plan.Ending(Plan.Reason.OUT_OF_TIME, 0, 0, space.unlisted());
        }
        Set<Candidate> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Hope> open = Stream.of(checked, unchecked, costly, unfinished)
                .flatMap(Collection::stream)
                .filter(hope -> !isProven(hope) && counted.add(hope.candidate()))
                .toList();
        open.forEach(hope -> simulated.remove(hope.candidate()));
        double least = open.stream().mapToDouble(Hope::score).min().orElse(Double.POSITIVE_INFINITY);
        double gap = ranked.isEmpty() ? 1 : Math.max(0, 1 - least / goal.score(ranked.get(0)));
        return new Plan.Ending(
                isInterrupted() ? Plan.Reason.INTERRUPTED : Plan.Reason.OUT_OF_TIME,
                open.size(),
                gap,
                space.unlisted());
    }

    /** The best so far of each strategy that has none among the best. */
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
     * The best of each strategy that has none among the best, as far as the time suffices. Which candidates were given up before decides nothing, since that
     * depends on the threads. Of a strategy whose candidates are too large nothing is said.
     */
    private List<Plan.Other> others(List<Hope> all, ScenarioRunner runner, int atOnce, ProgressListener progress)
            throws InterruptedException, InputException {
        if (ranked.isEmpty()) {
            return othersSoFar();
        }
        Map<String, OtherStrategy> others = new LinkedHashMap<>();
        for (Candidate one : space.candidates()) {
            others.computeIfAbsent(one.kind(), kind -> new OtherStrategy(kind, one.title(), goal, of(kind, all), null));
        }
        Plan.Ranked best = ranked.get(0);
        List<Hope> beyond = hopes(unavailable, progress);
        for (Candidate one : unavailable) {
            others.computeIfAbsent(
                    one.kind(), kind -> new OtherStrategy(kind, one.title(), goal, of(kind, beyond), best));
        }
        ranked.stream()
                .limit(Plan.BEST)
                .forEach(one -> others.remove(one.candidate().kind()));
        List<OtherStrategy> open = new ArrayList<>(others.values());
        while (!open.isEmpty() && !isStopped()) {
            List<Hope> next = new ArrayList<>();
            Map<ScenarioPoint, RunLimits> limits = new IdentityHashMap<>();
            for (OtherStrategy one : List.copyOf(open)) {
                Hope hope = one.next(this::check, CHECKED_AT_ONCE);
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

    private static List<Hope> of(String kind, List<Hope> hopes) {
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

    private boolean isMoreToCheck(List<Hope> unchecked, int next, PriorityQueue<Hope> checked) {
        return next < unchecked.size() && isWorthChecking(unchecked.get(next), checked) && !isStopped();
    }

    /** Whether a candidate may be better than those that would be simulated next. */
    private boolean isWorthChecking(Hope hope, PriorityQueue<Hope> checked) {
        return !isProven(hope)
                && (checked.size() < WAVE
                        || checked.stream()
                                        .filter(one -> Hope.BEST_FIRST.compare(one, hope) <= 0)
                                        .limit(WAVE)
                                        .count()
                                < WAVE);
    }

    /** Those that fit and may keep the limits, with the bound of their plan; no plan is written twice. */
    private List<Hope> check(List<Hope> hopes) throws InterruptedException {
        List<Candidate> candidates = hopes.stream()
                .map(Hope::candidate)
                .filter(candidate -> !checkedOnes.containsKey(candidate))
                .toList();
        for (Answered<Prospect> one :
                each(candidates, candidate -> Prospect.of(candidate.point()), (share, what) -> {})) {
            Prospect prospect = one.answer();
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

    /** What is known of a candidate before its plan is written: why a framework's files cannot say it, or else as what it runs. */
    private record Look(@Nullable InputException unwritable, Candidate candidate, double leastStepSeconds) {}

    private Look look(Candidate candidate) {
        try {
            Candidate carried = carrier.carry(candidate);
            return new Look(null, carried, Prospect.leastComputeSeconds(carried.point()));
        } catch (InputException why) {
            return new Look(why, candidate, Double.POSITIVE_INFINITY);
        }
    }

    /** The best bound first. */
    private List<Hope> hopes(List<Candidate> candidates, ProgressListener progress)
            throws InterruptedException, InputException {
        List<Hope> hopes = new ArrayList<>();
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

    /** Empty where the candidate cannot keep the limits even at its bound. */
    private Optional<Hope> hope(Candidate candidate, double leastStepSeconds, boolean tight) {
        if (!goal.allows(candidate, leastStepSeconds)) {
            return Optional.empty();
        }
        return Optional.of(new Hope(candidate, goal.objective().score(candidate, leastStepSeconds), tight));
    }

    private static List<Hope> byScore(List<Hope> hopes) {
        return hopes.stream().sorted(Hope.BEST_FIRST).toList();
    }

    /**
     * Asks something of each candidate, on all threads; in their order. Those that are too large to be looked at are left out, and all further ones when
     * it was interrupted.
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

    private boolean isProven(Hope next) {
        return ranked.size() >= Plan.BEST
                && !next.mayBeat(ranked.get(Plan.BEST - 1), goal)
                && next.score() >= goal.nearBest(ranked.get(0));
    }

    private void start(List<Hope> hopes, ScenarioRunner wave, int atOnce) {
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

    /** Waits for the oldest waves until no more run than these; false where none ran. */
    private boolean finish(int left) throws InterruptedException {
        boolean some = false;
        for (Wave wave = oldest(left); wave != null; wave = oldest(left)) {
            some = true;
            await(wave.done());
            if (!wave.runs().failures().isEmpty() && !wave.runs().onlyRefused()) {
                throw new IllegalStateException(
                        String.join(System.lineSeparator(), wave.runs().failures()));
            }
            for (Hope hope : wave.hopes()) {
                settle(hope, wave.runs());
            }
            rank();
            synchronized (this) {
                running.remove();
            }
        }
        return some;
    }

    /** What became of a candidate. */
    private void settle(Hope hope, PointRuns runs) {
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

    /** What has room before what is tight, the best first; of those that run alike, the one that was listed first. */
    private void rank() {
        ranked.sort(goal.bestFirst());
        Set<String> kinds = new HashSet<>();
        ranked.removeIf(one -> !one.isNew(kinds));
    }

    /** Stops what runs and begins nothing further. */
    public synchronized void interrupt() {
        interrupted = true;
        running.forEach(wave -> wave.runs().interrupt());
    }

    /** Stops as {@link #interrupt} does, but not before a first candidate has run. */
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
