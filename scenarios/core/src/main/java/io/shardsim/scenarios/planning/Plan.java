package io.shardsim.scenarios.planning;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.TrainingCost;
import io.shardsim.simulator.TooLargeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a search.
 *
 * @param scenario the scenario's name
 * @param ranked simulated candidates that meet the limits: those with headroom first, then tight ones, best first; one per digest
 * @param beyondLimits the best simulated candidate that misses the limits; null if none does
 * @param others results of strategies without a candidate among the best
 * @param tooLarge candidates skipped as too large to simulate
 * @param ending why the search ended, and whether the best are proven
 */
public record Plan(
        String scenario,
        Goal goal,
        List<Ranked> ranked,
        @Nullable Ranked beyondLimits,
        List<Other> others,
        Counts counts,
        List<TooLarge> tooLarge,
        Ending ending) {

    /** Number of best candidates to prove. */
    public static final int BEST = 5;

    public Plan(
            String scenario,
            Goal goal,
            List<Ranked> ranked,
            @Nullable Ranked beyondLimits,
            List<Other> others,
            Counts counts,
            List<TooLarge> tooLarge,
            Ending ending) {
        this.scenario = scenario;
        this.goal = goal;
        this.ranked = List.copyOf(ranked);
        this.beyondLimits = beyondLimits;
        this.others = List.copyOf(others);
        this.counts = counts;
        this.tooLarge = List.copyOf(tooLarge);
        this.ending = ending;
    }

    /** The reason why a search ended. */
    enum Reason {
        PROVEN,
        OUT_OF_TIME,
        INTERRUPTED
    }

    /**
     * The end of a search.
     *
     * @param left unresolved candidates, known only by a bound
     * @param gap maximum share of the best's time or money that an unresolved candidate could save: the gap of branch and bound; 0 if the best are
     *     proven
     * @param unlisted combinations of instance, nodes and strategy that were not looked at
     */
    record Ending(Reason reason, int left, double gap, int unlisted) {
        static final Ending PROVEN = new Ending(Reason.PROVEN, 0, 0, 0);
    }

    /** Returns whether the best are proven; else a better candidate may not have been simulated. */
    public boolean complete() {
        return ending.reason() == Reason.PROVEN;
    }

    /** Returns whether the user stopped the search. */
    public boolean isInterrupted() {
        return ending.reason() == Reason.INTERRUPTED;
    }

    /**
     * A strategy without a candidate among the best.
     *
     * @param available whether its software is available
     * @param best the best of its simulated candidates; null if none fits, can meet the limits, or if it is not available, beats the best overall
     * @param proven whether no other of its candidates can be better
     */
    record Other(
            String kind,
            String title,
            boolean available,
            @Nullable Ranked best,
            boolean proven) {
        @Nullable
        RunResult run() {
            return best == null ? null : best.run();
        }
    }

    /** A candidate too large to simulate, and why. */
    record TooLarge(Candidate candidate, TooLargeException why) {
        /** Returns its settings, and what would make it smaller. */
        String words() {
            return candidate.settings().entrySet().stream()
                    .map(setting -> setting.getKey() + " " + setting.getValue())
                    .collect(Collectors.joining(", ", "", ": " + why.getMessage()));
        }
    }

    /** A simulated candidate. */
    public record Ranked(Candidate candidate, RunResult run, TrainingCost cost) {
        /**
         * Returns whether no candidate seen runs exactly like it. Of a strategy's candidates with equal times, to the picosecond, only the first is
         * listed: their settings do not affect speed.
         */
        boolean isNew(Set<String> seen) {
            boolean otherRun = seen.add(candidate.nodes() + " " + run.digest());
            boolean otherTime = seen.add(candidate.nodes() + " " + candidate.kind() + " "
                    + candidate.point().cluster().instance().name() + " " + isTight() + " "
                    + run.meanStepSeconds());
            return otherRun && otherTime;
        }

        /** Returns whether it fits only without fragmentation. */
        boolean isTight() {
            return run.isTight();
        }

        double samplesPerSecond() {
            return run.step().samplesPerSecond();
        }
    }

    /**
     * Numbers of candidates by outcome.
     *
     * @param searched candidates that can run
     * @param refused combinations that violate a rule, and so are not candidates
     * @param unwritten candidates that the target framework cannot run or express
     * @param prunedByMemory candidates that do not fit with fragmentation
     * @param tight those among them that fit without fragmentation
     * @param prunedByBound candidates that provably cannot beat the best, or meet the limits
     * @param simulated candidates run to the end, or until they could no longer be among the best
     */
    public record Counts(
            int searched, int refused, int unwritten, int prunedByMemory, int tight, int prunedByBound, int simulated) {
        public Counts {
            if (searched < unwritten + prunedByMemory + prunedByBound + simulated) {
                throw new IllegalArgumentException(
                        unwritten + " unwritten, " + prunedByMemory + " pruned by memory, " + prunedByBound
                                + " by bound and " + simulated + " simulated are more than " + searched + " searched");
            }
        }
    }

    /** Returns the Pareto front of days and dollars, fastest first; tight candidates only if none has headroom. */
    List<Ranked> front() {
        boolean roomy = !ranked.isEmpty() && !ranked.get(0).isTight();
        List<Ranked> byDays = ranked.stream()
                .filter(one -> one.cost().hasPrice() && !(roomy && one.isTight()))
                .sorted(Comparator.comparingDouble(one -> one.cost().days()))
                .toList();
        List<Ranked> front = new ArrayList<>();
        double least = Double.POSITIVE_INFINITY;
        for (Ranked one : byDays) {
            if (one.cost().usd() < least) {
                front.add(one);
                least = one.cost().usd();
            }
        }
        return front;
    }

    /** Returns strategies without a candidate among the best: those with available software, or the rest. */
    List<Other> others(boolean available) {
        return others.stream().filter(other -> other.available() == available).toList();
    }

    /** Returns the best, at most {@link #BEST}. */
    public List<Ranked> best() {
        return ranked.subList(0, Math.min(BEST, ranked.size()));
    }
}
