package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.profiling.ProfileComparison.Part;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.topology.Faults;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What rules a fault out: each rule says in a clause what the fault would show and the profile does not, and nothing where the two agree. */
final class ProfileRules {
    /** Share of the healthy step from which a difference counts as long. */
    static final double LONG = 0.05;

    /** A part is not long where the profile has less than this of what a fault would add. */
    private static final double MISSING = 0.25;
    /** All that computes is slower by one factor where the optimizer's excess is so much of that of the rest. */
    private static final double ALIKE = 0.6;

    private static final double ALIKE_MAX = 1.5;
    private static final double UNLIKE = 0.2;
    private static final String OPTIMIZER = "optimizer";
    private static final String ATTENTION = "attention";
    private static final Pattern SOFTMAX = Pattern.compile("(?i)(?<!log)(?<!log_)softmax");

    private static final List<BiFunction<Seen, Fault, String>> RULES = List.of(
            ProfileRules::fused,
            ProfileRules::softmax,
            ProfileRules::late,
            ProfileRules::optimizer,
            ProfileRules::missing);

    private ProfileRules() {}

    /**
     * A profiled step, and that of the same training without a fault.
     *
     * @param arrivals of the ranks whose profiles were given
     * @param parts of the profiled step against those of the healthy one
     */
    record Seen(Side real, Side healthy, Arrivals arrivals, List<Part> parts) {
        static Seen of(Side real, Side healthy, Arrivals arrivals) {
            return new Seen(real, healthy, arrivals, ProfileComparison.parts(real, healthy));
        }

        /** Returns by how much a part of this name is longer than in the healthy step [ns]. */
        long longerNs(String name) {
            return ProfileComparison.longerNs(parts, name);
        }

        double longNs() {
            return LONG * healthy.split().stepNs();
        }

        /** Returns by how much the optimizer of a step is slower, relative to all else that computes; NaN where that is not slower. */
        private double ofRest(Side side) {
            double rest = ofHealthy(side, false) - 1;
            return rest < LONG ? Double.NaN : (ofHealthy(side, true) - 1) / rest;
        }

        /** Returns the time of the optimizer, or of all else that computes, relative to the healthy step. */
        private double ofHealthy(Side side, boolean optimizer) {
            return (double) computingNs(side.split(), optimizer) / computingNs(healthy.split(), optimizer);
        }

        private static long computingNs(StepSplit split, boolean optimizer) {
            long ns = split.parts().getOrDefault(OPTIMIZER, 0L);
            return optimizer ? ns : split.of(KernelNames.Kind.COMPUTING) - ns;
        }
    }

    /** The same training with a fault, and its simulated step. */
    record Fault(ScenarioPoint point, Side step) {
        private boolean isFlash() {
            return point.task() instanceof Task.Training training
                    && training.execution().attention() == AttentionKind.FLASH;
        }

        private boolean isOfOnePlace() {
            return isSlowGpu(point) || !point.cluster().faults().network().equals(Faults.NONE.network());
        }
    }

    static boolean isSlowGpu(ScenarioPoint point) {
        return point.cluster().faults().slowGpuPerMille() > Faults.NONE.slowGpuPerMille();
    }

    /** Returns what the first rule says that rules the fault out; empty if none does. */
    static String contradiction(Seen seen, Fault fault) {
        return RULES.stream()
                .map(rule -> rule.apply(seen, fault))
                .filter(words -> !words.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Standard attention runs as several kernels. */
    private static String fused(Seen seen, Fault fault) {
        return fault.isFlash() || !namesKernels(seen)
                ? ""
                : attention(seen)
                        .findFirst()
                        .map(kernel -> "attention is one kernel, "
                                + kernel.label().name().replace("void ", "").split("[<(]")[0])
                        .orElse("");
    }

    /** Flash attention has no softmax kernels. */
    private static String softmax(Seen seen, Fault fault) {
        long softmax = seen.real().profile().kernels().stream()
                .filter(kernel -> SOFTMAX.matcher(kernel.label().name()).find())
                .count();
        return fault.isFlash()
                        && namesKernels(seen)
                        && attention(seen).findAny().isEmpty()
                        && fault.point().task() instanceof Task.Training training
                        && softmax >= training.model().layers()
                ? "attention is no kernel of its own, and " + softmax + " kernels are softmax"
                : "";
    }

    /** Simulated profiles have layers as a whole. */
    private static boolean namesKernels(Seen seen) {
        return seen.real().profile().kernels().stream()
                .anyMatch(kernel -> kernel.of().name().equals("GEMMs"));
    }

    private static Stream<Profile.Kernel> attention(Seen seen) {
        return seen.real().profile().kernels().stream()
                .filter(kernel -> kernel.of().name().equals(ATTENTION));
    }

    /** A fault of one place makes one rank late, and a fault of all ranks none. */
    private static String late(Seen seen, Fault fault) {
        Arrivals arrivals = seen.arrivals();
        if (arrivals.isAlwaysTheSame()) {
            Arrivals.Late late = arrivals.late().get(0);
            return fault.isOfOnePlace() || late.exposedNs() < seen.longNs()
                    ? ""
                    : "all ranks would be alike, and the others wait " + Quantities.seconds(late.exposedNs() / 1e9)
                            + " for rank " + late.rank();
        }
        boolean all =
                arrivals.ranks() >= fault.point().cluster().worldSize() || seen.longerNs("computing") > seen.longNs();
        return isSlowGpu(fault.point()) && arrivals.collectives() > 0 && all
                ? "one rank would always be late, and none of " + arrivals.ranks() + " is"
                : "";
    }

    /** A slow GPU slows the optimizer like all else that computes; other kernels of layers leave it as it is. */
    private static String optimizer(Seen seen, Fault fault) {
        double would = seen.ofRest(fault.step());
        double is = seen.ofRest(seen.real());
        double times = seen.ofHealthy(seen.real(), true);
        if (would < UNLIKE && is > ALIKE && is < ALIKE_MAX) {
            return "the optimizer would be as fast as in a healthy step, and takes " + Quantities.number(times, 3)
                    + " times as long, as all that computes";
        }
        return would > ALIKE && Math.abs(times - 1) < LONG && is < UNLIKE
                ? "the optimizer would take " + Quantities.number(seen.ofHealthy(fault.step(), true), 3)
                        + " times as long as in a healthy step, and takes " + Quantities.number(times, 3)
                : "";
    }

    /** A part that the fault lengthens must be long. */
    private static String missing(Seen seen, Fault fault) {
        return ProfileComparison.parts(fault.step(), seen.healthy()).stream()
                .filter(part -> part.longerNs() > seen.longNs())
                .filter(part -> seen.longerNs(part.name()) < MISSING * part.longerNs())
                .max(Comparator.comparingLong(Part::longerNs))
                .map(part -> part.name() + " would be " + Quantities.seconds(part.longerNs() / 1e9)
                        + " longer than in a healthy step, and is "
                        + Quantities.seconds(seen.longerNs(part.name()) / 1e9))
                .orElse("");
    }
}
