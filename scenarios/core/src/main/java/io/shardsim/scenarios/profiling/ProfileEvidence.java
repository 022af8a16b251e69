package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.profiling.ProfileComparison.Part;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** What a profile of a slow step says of its cause: which parts of the step are long, and how far off a run with a fault is, part by part. */
public final class ProfileEvidence {
    /** Of the healthy step: what counts as long. */
    private static final double LONG = 0.05;
    /** A part is not long where the profile has less than this of what a fault would add. */
    private static final double MISSING = 0.25;
    /** The profile may have so many times the strength of a fault that the catalog lists. */
    private static final double STRENGTH_MAX = 2;

    private final Side real;
    private final Side healthy;

    /**
     * Reads a profile, and runs what was profiled without a fault, which must fit in memory.
     *
     * @throws InputException with what is wrong with the profile
     */
    public ProfileEvidence(String file, ScenarioPoint point) throws InputException, IOException, InterruptedException {
        real = Side.of(ProfileReader.read(file));
        healthy = simulated(point);
    }

    /**
     * What the profile says of a run.
     *
     * @param distance of the parts that are long from those of the run, in healthy steps [1]
     * @param contradiction a part that the fault lengthens and the profile does not show long, with both figures; empty where there is none
     */
    public record Finding(double distance, String contradiction) {}

    private Side simulated(ScenarioPoint point) throws InputException, IOException, InterruptedException {
        return Objects.requireNonNull(
                ProfileComparer.run(point, real.profile().rank()).side());
    }

    /** Parts that are longer than in a healthy step, the longest first. */
    public List<String> longer() {
        return ProfileComparison.parts(real, healthy).stream()
                .filter(part -> part.longerNs() > LONG * healthy.split().stepNs())
                .sorted(Comparator.comparingLong(Part::longerNs).reversed())
                .map(part -> part.name() + " takes " + Quantities.seconds(part.traceNs() / 1e9) + ", "
                        + Quantities.seconds(part.simulatedNs() / 1e9) + " in a healthy step")
                .toList();
    }

    /** Of a run with a fault, which must fit in memory. */
    public Finding of(ScenarioPoint point) throws InputException, IOException, InterruptedException {
        Side fault = simulated(point);
        List<Part> shown = ProfileComparison.parts(real, healthy);
        String contradiction = ProfileComparison.parts(fault, healthy).stream()
                .filter(part -> part.longerNs() > LONG * healthy.split().stepNs())
                .filter(part -> longerNs(shown, part.name()) < MISSING * part.longerNs())
                .max(Comparator.comparingLong(Part::longerNs))
                .map(part -> part.name() + " would be " + Quantities.seconds(part.longerNs() / 1e9)
                        + " longer than in a healthy step, and is "
                        + Quantities.seconds(longerNs(shown, part.name()) / 1e9))
                .orElse("");
        return new Finding(distance(fault), contradiction);
    }

    /** What is longer or shorter than in a healthy step, but for a strength: twice as much of each part is the same fault. */
    private double distance(Side fault) {
        List<Part> would = ProfileComparison.details(fault, healthy);
        List<Part> shown = ProfileComparison.details(real, healthy);
        double both = 0;
        double squares = 0;
        double all = 0;
        double usual = 0;
        for (Part part : would) {
            both += (double) part.longerNs() * longerNs(shown, part.name());
            squares += (double) part.longerNs() * part.longerNs();
        }
        for (Part part : shown) {
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
