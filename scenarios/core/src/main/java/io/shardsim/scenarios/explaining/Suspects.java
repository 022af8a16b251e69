package io.shardsim.scenarios.explaining;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** Judges faults by their runs: how likely each is, given what was measured. */
final class Suspects {
    private Suspects() {}

    /**
     * Returns the explanation by the faults that ran.
     *
     * @param all cases run so far; others are left out
     */
    static Explanation explanation(Explanation alone, List<FaultCase> cases, Map<FaultCase, List<RunResult>> all) {
        List<Explanation.Suspect> suspects = new ArrayList<>();
        List<String> same = new ArrayList<>();
        List<String> large = new ArrayList<>();
        List<String> tooLong = new ArrayList<>();
        List<String> healthyToo = new ArrayList<>();
        for (FaultCase one : cases) {
            List<RunResult> ran = all.get(one);
            if (ran == null) {
                continue;
            }
            if (ran.size() < one.points().size()) {
                tooLong.add(one.title());
            } else if (!ran.stream().allMatch(RunResult::fits)) {
                large.add(one.title());
            } else if (!ran.isEmpty() && changesNothing(ran, alone.logs())) {
                same.add(one.title());
            } else if (!ran.isEmpty()
                    && !alone.others().shown().containsKey(one.fault())
                    && isHealthyToo(ran, alone.logs())) {
                healthyToo.add(one.title());
            } else if (!ran.isEmpty() || isPossible(one.known(), alone.logs())) {
                suspects.add(suspect(one, ran, alone.logs()));
            }
        }
        Explanation.Others known = alone.others();
        return Explanation.of(
                alone.name(),
                alone.logs(),
                suspects,
                new Explanation.Others(
                        same,
                        large,
                        tooLong,
                        healthyToo,
                        known.ruledOut(),
                        known.shown(),
                        known.questions(),
                        known.profiled()));
    }

    private static boolean changesNothing(List<RunResult> runs, List<Explanation.Log> logs) {
        for (int i = 0; i < runs.size(); i++) {
            if (logs.get(i).figure(runs.get(i))
                    != logs.get(i).figure(logs.get(i).healthy())) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a fault leaves every run that was measured slower or faster as fast as a healthy one. */
    private static boolean isHealthyToo(List<RunResult> runs, List<Explanation.Log> logs) {
        return IntStream.range(0, runs.size())
                .filter(i -> logs.get(i).isSpeed() && !logs.get(i).isUsual())
                .allMatch(i -> logs.get(i).isHealthyToo(runs.get(i)));
    }

    private static boolean isPossible(KnownFault fault, List<Explanation.Log> logs) {
        return !Objects.requireNonNull(fault.unsimulated()).atMemoryEdge()
                || logs.stream().anyMatch(log -> isAtMemoryEdge(log.healthy()));
    }

    private static Explanation.Suspect suspect(FaultCase one, List<RunResult> runs, List<Explanation.Log> logs) {
        List<Double> deviations = new ArrayList<>();
        for (int i = 0; i < logs.size(); i++) {
            deviations.add(
                    runs.isEmpty()
                            ? beyond(one.known(), logs.get(i))
                            : logs.get(i).deviations(runs.get(i)));
        }
        double squares = deviations.stream().mapToDouble(each -> each * each).sum();
        return new Explanation.Suspect(
                one.fault(),
                one.title(),
                one.settings().get(0),
                one.known().look(),
                runs,
                deviations,
                one.odds() * StrictMath.exp(-squares / 2),
                0);
    }

    /** Returns by how many standard deviations a measured speed exceeds the known cost of a fault that is not simulated. */
    private static double beyond(KnownFault fault, Explanation.Log log) {
        KnownFault.Unsimulated unsimulated = Objects.requireNonNull(fault.unsimulated());
        boolean happens = !unsimulated.atMemoryEdge() || isAtMemoryEdge(log.healthy());
        double most = happens && log.isSpeed() ? unsimulated.slowdownMax() : 1;
        double times = log.timesAsFast();
        if (!log.isSpeed()) {
            return log.expected().deviations(times);
        }
        return times > most ? Math.max(0, log.expected().deviations(times / most)) : 0;
    }

    private static boolean isAtMemoryEdge(RunResult run) {
        return run.training() != null
                && MemoryWords.isAtEdge(run.facts().ledger().fit());
    }
}
