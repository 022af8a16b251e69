package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.profiling.ProfileComparison.Part;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.Faults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Evidence from a profile of a slow step: which parts of the step are too long, and how well a run with a given fault matches them. */
public final class ProfileEvidence {
    /** Share of the healthy step above which a difference counts as long [1]. */
    private static final double LONG = 0.05;
    /** A part is not long if the profile shows less than this share of what the fault would add [1]. */
    private static final double MISSING = 0.25;
    /** Factor by which a fault may be stronger or weaker in the profile than in the catalog. */
    private static final double STRENGTH_MAX = 2;

    /** All compute is slowed down by one factor if the optimizer's relative slowdown is at least this share of that of all other compute [1]. */
    private static final double ALIKE = 0.6;

    private static final double ALIKE_MAX = 1.5;
    private static final double UNLIKE = 0.2;
    private static final String OPTIMIZER = "optimizer";
    private static final String ATTENTION = "attention";
    private static final Pattern SOFTMAX = Pattern.compile("(?i)(?<!log)(?<!log_)softmax");

    private final Side real;
    private final Side healthy;
    private final Arrivals arrivals;
    /** Parts of the profiled step compared with the healthy one. */
    private final List<Part> shown;

    /**
     * Reads the profiles, and simulates the training without a fault; it must fit in memory.
     *
     * @throws InputException with the profiles' problems
     */
    public ProfileEvidence(List<String> files, ScenarioPoint point)
            throws InputException, IOException, InterruptedException {
        Profile first = ProfileReader.read(files.get(0));
        real = Side.of(first);
        arrivals = ProfileComparer.arrivals(files, first);
        healthy = simulated(point, first.rank());
        shown = ProfileComparison.parts(real, healthy);
    }

    /**
     * Duration of the profiled step [s]; NaN if the profile has no steps.
     *
     * @throws InputException with the profile's problems
     */
    public static double stepSeconds(String file) throws InputException {
        Profile profile = ProfileReader.read(file);
        return profile.namesStep() ? profile.stepNs() / 1e9 : Double.NaN;
    }

    /**
     * How a run matches the profile.
     *
     * @param distance distance between the excess times of run and profile, in healthy steps [1]
     * @param contradiction a part that the fault would lengthen but that is not long in the profile, with both figures; empty if there is none
     */
    public record Finding(double distance, String contradiction) {}

    private static Side simulated(ScenarioPoint point, int rank)
            throws InputException, IOException, InterruptedException {
        return Objects.requireNonNull(ProfileComparer.run(point, rank).side());
    }

    /** Parts that are longer than in a healthy step, longest first, preceded by a rank that is always late. */
    public List<String> longer() {
        Stream<String> late = Stream.of(arrivals)
                .filter(Arrivals::isAlwaysTheSame)
                .map(all -> "of " + all.ranks() + " ranks, rank "
                        + all.late().get(0).rank() + " is always late");
        return Stream.concat(late, longParts()).toList();
    }

    private Stream<String> longParts() {
        return shown.stream()
                .filter(part -> part.longerNs() > LONG * healthy.split().stepNs())
                .sorted(Comparator.comparingLong(Part::longerNs).reversed())
                .map(part -> part.name() + " takes " + Quantities.seconds(part.traceNs() / 1e9) + ", "
                        + Quantities.seconds(part.simulatedNs() / 1e9) + " in a healthy step");
    }

    /** Compares a run with a fault, which must fit in memory, with the profile. */
    public Finding of(ScenarioPoint point) throws InputException, IOException, InterruptedException {
        String known = Stream.of(attention(point), late(point))
                .filter(words -> !words.isEmpty())
                .findFirst()
                .orElse("");
        List<Finding> findings = new ArrayList<>();
        for (int rank : ranks(point)) {
            Side fault = simulated(point, rank);
            String contradiction = Stream.of(known, alike(fault), missing(fault))
                    .filter(words -> !words.isEmpty())
                    .findFirst()
                    .orElse("");
            findings.add(new Finding(distance(fault), contradiction));
        }
        return findings.stream()
                .min(Comparator.comparing((Finding one) -> !one.contradiction().isEmpty())
                        .thenComparing(Finding::distance))
                .orElseThrow();
    }

    /** Ranks to compare with. The slow GPU of a simulation is rank 0; the profile may be of the slow rank or of one that waits for it. */
    private List<Integer> ranks(ScenarioPoint point) {
        int own = real.profile().rank();
        if (!hasSlowGpu(point)) {
            return List.of(own);
        }
        int waiting = own == 0 ? 1 : own;
        return !arrivals.isAlwaysTheSame()
                ? List.of(0, waiting)
                : List.of(arrivals.late().get(0).rank() == own ? 0 : waiting);
    }

    private static boolean hasSlowGpu(ScenarioPoint point) {
        return point.cluster().faults().slowGpuPerMille() > Faults.NONE.slowGpuPerMille();
    }

    /** Whether attention is fused in the profile but not in the run, or vice versa, in words. */
    private String attention(ScenarioPoint point) {
        List<Profile.Kernel> kernels = real.profile().kernels();
        if (!(point.task() instanceof Task.Training training)
                || kernels.stream().noneMatch(kernel -> kernel.of().name().equals("GEMMs"))) {
            return "";
        }
        boolean flash = training.execution().attention() == AttentionKind.FLASH;
        Optional<Profile.Kernel> fused = kernels.stream()
                .filter(kernel -> kernel.of().name().equals(ATTENTION))
                .findFirst();
        long softmax = kernels.stream()
                .filter(kernel -> SOFTMAX.matcher(kernel.label().name()).find())
                .count();
        if (!flash && fused.isPresent()) {
            return "attention is one kernel, " + function(fused.get().label().name());
        }
        return flash && fused.isEmpty() && softmax >= training.model().layers()
                ? "attention is no kernel of its own, and " + softmax + " kernels are softmax"
                : "";
    }

    private static String function(String kernel) {
        return kernel.replace("void ", "").split("[<(]")[0];
    }

    /** Whether the profile has no late rank although the fault makes one, or the other way round, in words. */
    private String late(ScenarioPoint point) {
        boolean ofOnePlace =
                hasSlowGpu(point) || !point.cluster().faults().network().equals(Faults.NONE.network());
        if (arrivals.isAlwaysTheSame()) {
            Arrivals.Late late = arrivals.late().get(0);
            return ofOnePlace || late.exposedNs() < LONG * healthy.split().stepNs()
                    ? ""
                    : "all ranks would be alike, and the others wait " + Quantities.seconds(late.exposedNs() / 1e9)
                            + " for rank " + late.rank();
        }
        boolean all = arrivals.ranks() >= point.cluster().worldSize()
                || longerNs(shown, "computing") > LONG * healthy.split().stepNs();
        return hasSlowGpu(point) && arrivals.collectives() > 0 && all
                ? "one rank would always be late, and none of " + arrivals.ranks() + " is"
                : "";
    }

    /** Whether the optimizer is slowed down like all other compute in only one of profile and fault, in words. */
    private String alike(Side fault) {
        double would = ofRest(fault);
        double is = ofRest(real);
        String times = Quantities.number(ofHealthy(real, true), 3);
        if (would < UNLIKE && is > ALIKE && is < ALIKE_MAX) {
            return "the optimizer would be as fast as in a healthy step, and takes " + times
                    + " times as long, as all that computes";
        }
        return would > ALIKE && Math.abs(ofHealthy(real, true) - 1) < LONG && is < UNLIKE
                ? "the optimizer would take " + Quantities.number(ofHealthy(fault, true), 3)
                        + " times as long as in a healthy step, and takes " + times
                : "";
    }

    /** Relative slowdown of the optimizer over that of all other compute; NaN if that is not slower. */
    private double ofRest(Side side) {
        double rest = ofHealthy(side, false) - 1;
        return rest < LONG ? Double.NaN : (ofHealthy(side, true) - 1) / rest;
    }

    /** Time of the optimizer, or of all other compute, over that in a healthy step. */
    private double ofHealthy(Side side, boolean optimizer) {
        return (double) computingNs(side.split(), optimizer) / computingNs(healthy.split(), optimizer);
    }

    private static long computingNs(StepSplit split, boolean optimizer) {
        long ns = split.parts().getOrDefault(OPTIMIZER, 0L);
        return optimizer ? ns : split.of(KernelNames.Kind.COMPUTING) - ns;
    }

    /** A part that the fault would lengthen but that is not long in the profile. */
    private String missing(Side fault) {
        return ProfileComparison.parts(fault, healthy).stream()
                .filter(part -> part.longerNs() > LONG * healthy.split().stepNs())
                .filter(part -> longerNs(shown, part.name()) < MISSING * part.longerNs())
                .max(Comparator.comparingLong(Part::longerNs))
                .map(part -> part.name() + " would be " + Quantities.seconds(part.longerNs() / 1e9)
                        + " longer than in a healthy step, and is "
                        + Quantities.seconds(longerNs(shown, part.name()) / 1e9))
                .orElse("");
    }

    /**
     * Distance between the differences from a healthy step, at the best-fitting strength of the fault: if all differences double, it is the same
     * fault.
     */
    private double distance(Side fault) {
        List<Part> would = ProfileComparison.details(fault, healthy);
        List<Part> details = ProfileComparison.details(real, healthy);
        double both = 0;
        double squares = 0;
        double all = 0;
        double usual = 0;
        for (Part part : would) {
            both += (double) part.longerNs() * longerNs(details, part.name());
            squares += (double) part.longerNs() * part.longerNs();
        }
        for (Part part : details) {
            all += (double) part.longerNs() * part.longerNs();
            usual += (double) part.simulatedNs() * part.simulatedNs();
        }
        double strength = Math.min(STRENGTH_MAX, Math.max(1 / STRENGTH_MAX, both / squares));
        return StrictMath.sqrt(Math.max(0, all - 2 * strength * both + strength * strength * squares) / usual);
    }

    private static long longerNs(List<Part> parts, String name) {
        return parts.stream()
                .filter(part -> part.name().equals(name))
                .mapToLong(Part::longerNs)
                .sum();
    }
}
