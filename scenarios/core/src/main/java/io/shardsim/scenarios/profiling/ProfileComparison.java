package io.shardsim.scenarios.profiling;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A profiled step beside the simulated one.
 *
 * @param trace the profile, as the command line names it
 * @param traced where its time goes
 * @param scenario the training, as the command line names it
 * @param run the simulated training
 * @param simulatedRank whose step is shown
 * @param simulated null where it does not fit in memory
 */
public record ProfileComparison(
        String trace,
        Profile real,
        StepSplit traced,
        String scenario,
        RunResult run,
        int simulatedRank,
        @Nullable StepSplit simulated) {

    /** A part of the step, in both [ns]. */
    record Part(String name, long traceNs, long simulatedNs) {
        long longerNs() {
            return traceNs - simulatedNs;
        }
    }

    /** Whether the simulated training fits in memory. */
    public boolean fits() {
        return simulated != null;
    }

    /** Parts that sum to the step. */
    List<Part> parts() {
        StepSplit ours = Objects.requireNonNull(simulated);
        StepSplit theirs = traced;
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("computing", theirs.of(Kind.COMPUTING), ours.of(Kind.COMPUTING)));
        for (Kind kind : List.of(Kind.COLLECTIVES, Kind.COPIES)) {
            for (String name : names(kind)) {
                parts.add(new Part(
                        "exposed " + name,
                        theirs.parts().getOrDefault(name, 0L),
                        ours.parts().getOrDefault(name, 0L)));
            }
        }
        parts.add(new Part(StepSplit.IDLE, theirs.idleNs(), ours.idleNs()));
        return parts;
    }

    /** Classes of a kind that one of the two has. */
    Set<String> names(Kind kind) {
        Set<String> names = new LinkedHashSet<>(StepSplit.names(kind));
        names.removeIf(name -> !traced.parts().containsKey(name)
                && !Objects.requireNonNull(simulated).parts().containsKey(name));
        return names;
    }

    /** The part that differs most. */
    Part largest() {
        return parts().stream()
                .max(Comparator.comparingLong(part -> Math.abs(part.longerNs())))
                .orElseThrow();
    }
}
