package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rules out candidates without running them: those that a framework's files cannot express, do not fit, or miss the limits even at their bound. Uses
 * all threads.
 */
final class CandidateChecks implements AutoCloseable {
    private final Goal goal;
    private final UnavailableSoftware unavailable;
    private final BooleanSupplier stopped;
    private final ExecutorService workers;
    private Planner.Carrier carrier = candidate -> candidate;
    /** Results of checked candidates, whose plans were written; by identity. */
    private final Map<Candidate, Optional<BoundedCandidate>> checked = new IdentityHashMap<>();

    private final List<Plan.TooLarge> tooLarge = new ArrayList<>();
    private int unwritten;
    private int prunedByMemory;
    private int prunedAsTight;

    /** A candidate with the answer to a question about it. */
    private record Answered<T>(Candidate candidate, T answer) {}

    /** A candidate before its plan is written: why a framework's files cannot express it, or else the point that runs. */
    private record Look(@Nullable InputException unwritable, Candidate candidate, double leastStepSeconds) {}

    CandidateChecks(Goal goal, UnavailableSoftware unavailable, int threads, BooleanSupplier stopped) {
        this.goal = goal;
        this.unavailable = unavailable;
        this.stopped = stopped;
        workers = Executors.newFixedThreadPool(threads, task -> Waves.daemon(task, "check"));
    }

    /** @param excluded number of candidates that the framework does not run */
    void carriedBy(Planner.Carrier framework, int excluded) {
        carrier = framework;
        unwritten = excluded;
    }

    /**
     * Returns candidates by the compute of their step alone, best bound first.
     *
     * @param searched number of candidates in the search
     * @throws InputException if the framework's files express none of them
     */
    List<BoundedCandidate> bounded(List<Candidate> candidates, int searched, ProgressListener progress)
            throws InterruptedException, InputException {
        List<BoundedCandidate> bounded = new ArrayList<>();
        InputException unwritable = null;
        for (Answered<Look> one : each(candidates, this::look, progress)) {
            Look look = one.answer();
            if (look.unwritable() == null) {
                bounded(look.candidate(), look.leastStepSeconds(), false).ifPresent(bounded::add);
            } else if (!unavailable.has(look.candidate())) {
                unwritten++;
                unwritable = unwritable == null ? look.unwritable() : unwritable;
            }
        }
        if (unwritable != null && unwritten == searched) {
            throw unwritable;
        }
        return bounded.stream().sorted(BoundedCandidate.BEST_FIRST).toList();
    }

    private Look look(Candidate candidate) {
        try {
            Candidate carried = carrier.carry(candidate);
            return new Look(null, carried, PointBounds.leastComputeSeconds(carried.point()));
        } catch (InputException why) {
            return new Look(why, candidate, Double.POSITIVE_INFINITY);
        }
    }

    /** Returns candidates that fit and may meet the limits, with the bounds of their plans; writes no plan twice. */
    List<BoundedCandidate> fitting(List<BoundedCandidate> bounded) throws InterruptedException {
        List<Candidate> candidates = bounded.stream()
                .map(BoundedCandidate::candidate)
                .filter(candidate -> !checked.containsKey(candidate))
                .toList();
        for (Answered<PointBounds> one :
                each(candidates, candidate -> PointBounds.of(candidate.point()), (share, what) -> {})) {
            PointBounds bounds = one.answer();
            boolean fits = bounds.fits() && (goal.tight() || !bounds.tight());
            if (!fits && !unavailable.has(one.candidate())) {
                prunedByMemory++;
                prunedAsTight += bounds.fits() ? 1 : 0;
            }
            checked.put(
                    one.candidate(),
                    fits ? bounded(one.candidate(), bounds.leastStepSeconds(), bounds.tight()) : Optional.empty());
        }
        tooLarge.forEach(one -> checked.putIfAbsent(one.candidate(), Optional.empty()));
        return bounded.stream()
                .flatMap(one -> checked.getOrDefault(one.candidate(), Optional.empty()).stream())
                .toList();
    }

    /** Returns whether a candidate may fit and meet the limits, as far as it was checked. */
    boolean mayFit(Candidate candidate) {
        return !checked.containsKey(candidate) || checked.get(candidate).isPresent();
    }

    /** Returns a candidate's bound; empty if it cannot meet the limits even at its bound. */
    private Optional<BoundedCandidate> bounded(Candidate candidate, double leastStepSeconds, boolean tight) {
        if (!goal.allows(candidate, leastStepSeconds)) {
            return Optional.empty();
        }
        return Optional.of(new BoundedCandidate(candidate, goal.objective().score(candidate, leastStepSeconds), tight));
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
        for (int i = 0; i < asked.size() && !stopped.getAsBoolean(); i++) {
            try {
                answers.add(new Answered<>(candidates.get(i), await(asked.get(i))));
            } catch (TooLargeException why) {
                tooLarge.add(new Plan.TooLarge(candidates.get(i), why));
            }
            progress.show((i + 1.0) / candidates.size(), (i + 1) + " of " + candidates.size() + " candidates checked");
        }
        return answers;
    }

    /** Waits for a task; what it failed with is thrown as it was. */
    static <T> T await(Future<T> asked) throws InterruptedException {
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

    /** Candidates that cannot be simulated here, whether that was seen before or in their run. */
    List<Plan.TooLarge> tooLarge() {
        return tooLarge;
    }

    /** Candidates that the framework's files cannot express. */
    int unwritten() {
        return unwritten;
    }

    int prunedByMemory() {
        return prunedByMemory;
    }

    /** Of those pruned by memory, candidates that fit without headroom. */
    int prunedAsTight() {
        return prunedAsTight;
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
