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
 * What a search came to.
 *
 * @param scenario name of the scenario
 * @param ranked what was simulated and keeps the limits: what has room, the best first, then what is tight; candidates with the same digest once
 * @param beyondLimits the best of what was simulated and misses the limits; null where nothing does
 * @param others what strategies come to that have none among the best
 * @param tooLarge what was left out because it is too large to be simulated
 * @param ending whether the best are proven to be the best
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

    /** How many of the best are proven to be the best. */
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

    /** Why a search ended. */
    enum Reason {
        PROVEN,
        OUT_OF_TIME,
        INTERRUPTED
    }

    /**
     * How a search ended.
     *
     * @param left candidates of which nothing more is known than a bound that they cannot beat
     * @param gap share of the best's time or money that the best of those could at most save: the gap of branch and bound; 0 where the best are proven
     * @param unlisted combinations of instance, nodes and strategy of which nothing at all is known
     */
    record Ending(Reason reason, int left, double gap, int unlisted) {
        static final Ending PROVEN = new Ending(Reason.PROVEN, 0, 0, 0);
    }

    /** Whether the best are proven: else a better one may not have been simulated. */
    public boolean complete() {
        return ending.reason() == Reason.PROVEN;
    }

    /** Whether somebody stopped the search. */
    public boolean isInterrupted() {
        return ending.reason() == Reason.INTERRUPTED;
    }

    /**
     * A strategy that has none among the best.
     *
     * @param available whether its software is
     * @param best of its candidates that were simulated; null where none fits, or may keep the limits, or beats the best of all if it is not available
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

    /** A candidate that is larger than the simulator can bear, and why. */
    record TooLarge(Candidate candidate, TooLargeException why) {
        /** What its settings are, and what would be smaller. */
        String words() {
            return candidate.settings().entrySet().stream()
                    .map(setting -> setting.getKey() + " " + setting.getValue())
                    .collect(Collectors.joining(", ", "", ": " + why.getMessage()));
        }
    }

    /** A candidate that was simulated. */
    public record Ranked(Candidate candidate, RunResult run, TrainingCost cost) {
        /**
         * Whether it runs as none of these do. Of candidates of a strategy that take the same time, to the picosecond, only the first is listed: they differ in what
         * makes no difference to their speed.
         */
        boolean isNew(Set<String> seen) {
            boolean otherRun = seen.add(candidate.nodes() + " " + run.digest());
            boolean otherTime = seen.add(candidate.nodes() + " " + candidate.kind() + " "
                    + candidate.point().cluster().instance().name() + " " + isTight() + " "
                    + run.meanStepSeconds());
            return otherRun && otherTime;
        }

        /** Whether it fits only without fragmentation. */
        boolean isTight() {
            return run.isTight();
        }

        double samplesPerSecond() {
            return run.step().samplesPerSecond();
        }
    }

    /**
     * What became of the candidates.
     *
     * @param searched all that can be run
     * @param refused combinations that break a rule, and are no candidates
     * @param unwritten the framework that is written for cannot run or say
     * @param prunedByMemory do not fit with what the allocator reserves
     * @param tight of these fit without
     * @param prunedByBound cannot beat the best, or keep the limits, whatever happens
     * @param simulated ran to their end, or until they could not be among the best any more
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

    /** Those of the ranked that no other beats in both days and dollars, the fastest first; tight ones only where none has room. */
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

    /** Of strategies without a candidate among the best, those whose software is available, or else the rest. */
    List<Other> others(boolean available) {
        return others.stream().filter(other -> other.available() == available).toList();
    }

    /** The best, at most {@link #BEST}. */
    public List<Ranked> best() {
        return ranked.subList(0, Math.min(BEST, ranked.size()));
    }
}
