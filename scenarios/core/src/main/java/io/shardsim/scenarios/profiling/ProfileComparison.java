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
 * A profiled step and the simulated one.
 *
 * @param trace the profile, as named on the command line
 * @param scenario the training, as named on the command line
 * @param run the simulated training
 * @param ours its profile; null where it does not fit in memory
 * @param arrivals of the ranks whose profiles were given
 * @param doubts whether the profile shows one step of this training, in sentences; empty without doubt
 */
public record ProfileComparison(
        String trace,
        Side theirs,
        String scenario,
        RunResult run,
        @Nullable Side ours,
        Arrivals arrivals,
        List<String> doubts) {

    /**
     * A step.
     *
     * @param split where its time goes
     */
    record Side(Profile profile, StepSplit split, Layers layers) {
        static Side of(Profile profile) {
            return new Side(profile, StepSplit.of(profile), Layers.of(profile));
        }
    }

    /** A part of the step in the profile and in the simulation [ns]. */
    record Part(String name, long traceNs, long simulatedNs) {
        long longerNs() {
            return traceNs - simulatedNs;
        }
    }

    /** Whether the simulated training fits in memory. */
    public boolean fits() {
        return ours != null;
    }

    Profile real() {
        return theirs.profile();
    }

    StepSplit traced() {
        return theirs.split();
    }

    /** The simulated step; throws if it does not fit in memory. */
    Side simulated() {
        return Objects.requireNonNull(ours);
    }

    /** Parts that sum to the step. */
    List<Part> parts() {
        return parts(theirs, simulated());
    }

    /** The same parts for any two steps. */
    static List<Part> parts(Side theirs, Side ours) {
        StepSplit real = theirs.split();
        StepSplit simulated = ours.split();
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("computing", real.of(Kind.COMPUTING), simulated.of(Kind.COMPUTING)));
        for (Kind kind : List.of(Kind.COLLECTIVES, Kind.COPIES)) {
            for (String name : names(kind, real, simulated)) {
                parts.add(new Part(
                        "exposed " + name,
                        real.parts().getOrDefault(name, 0L),
                        simulated.parts().getOrDefault(name, 0L)));
            }
        }
        parts.add(new Part(StepSplit.IDLE, real.idleNs(), simulated.idleNs()));
        return parts;
    }

    /** These parts, the total of each collective, and the layers' forward and backward. */
    static List<Part> details(Side theirs, Side ours) {
        List<Part> details = new ArrayList<>(parts(theirs, ours));
        for (String name : names(Kind.COLLECTIVES, theirs.split(), ours.split())) {
            details.add(new Part(name, theirs.split().busyNs(name), ours.split().busyNs(name)));
        }
        if (theirs.layers().number() == ours.layers().number()) {
            details.add(
                    new Part("forward", theirs.layers().forward(), ours.layers().forward()));
            details.add(new Part(
                    "backward", theirs.layers().backward(), ours.layers().backward()));
        }
        return details;
    }

    /** Returns by how much the part of a name is longer [ns]. */
    static long longerNs(List<Part> parts, String name) {
        return parts.stream()
                .filter(part -> part.name().equals(name))
                .mapToLong(Part::longerNs)
                .sum();
    }

    /** Classes of a kind that one of the two has. */
    Set<String> names(Kind kind) {
        return names(kind, traced(), simulated().split());
    }

    private static Set<String> names(Kind kind, StepSplit theirs, StepSplit ours) {
        Set<String> names = new LinkedHashSet<>(StepSplit.names(kind));
        names.removeIf(
                name -> !theirs.parts().containsKey(name) && !ours.parts().containsKey(name));
        return names;
    }

    /** The part with the largest difference. */
    Part largest() {
        return parts().stream()
                .max(Comparator.comparingLong(part -> Math.abs(part.longerNs())))
                .orElseThrow();
    }
}
