package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.profiling.ProfileComparison.Part;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.profiling.ProfileRules.Fault;
import io.shardsim.scenarios.profiling.ProfileRules.Seen;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Evidence from a profile of a slow step: which parts of the step are too long, and how well a run with a given fault matches them. */
public final class ProfileEvidence {
    /** The profile may have so many times the strength of a fault that the catalog lists. */
    private static final double STRENGTH_MAX = 2;

    private final Seen seen;
    /** Details of the profiled step compared with the healthy one. */
    private final List<Part> details;

    /**
     * Runs what was profiled without a fault, which must fit in memory.
     *
     * @throws InputException with the profiles' problems
     */
    public ProfileEvidence(ProfiledStep profiled, ScenarioPoint point)
            throws InputException, IOException, InterruptedException {
        Side healthy = simulated(point, profiled.first().rank());
        seen = Seen.of(Side.of(Repetition.of(profiled.first(), healthy.split()).step()), healthy, profiled.arrivals());
        details = ProfileComparison.details(seen.real(), healthy);
    }

    /**
     * How a run matches the profile.
     *
     * @param distance of the parts that are long from those of the run, in healthy steps [1]
     * @param contradiction what rules the fault out, with both figures; empty where nothing does
     */
    public record Finding(double distance, String contradiction) {}

    private static Side simulated(ScenarioPoint point, int rank)
            throws InputException, IOException, InterruptedException {
        return Objects.requireNonNull(ProfileComparer.run(point, rank).side());
    }

    /** Parts that are longer than in a healthy step, longest first, preceded by a rank that is always late. */
    public List<String> longer() {
        Stream<String> late = Stream.of(seen.arrivals())
                .filter(Arrivals::isAlwaysTheSame)
                .map(all -> "of " + all.ranks() + " ranks, rank "
                        + all.late().get(0).rank() + " is always late");
        return Stream.concat(late, longParts()).toList();
    }

    private Stream<String> longParts() {
        return seen.parts().stream()
                .filter(part -> part.longerNs() > seen.longNs())
                .sorted(Comparator.comparingLong(Part::longerNs).reversed())
                .map(part -> part.name() + " takes " + Quantities.seconds(part.traceNs() / 1e9) + ", "
                        + Quantities.seconds(part.simulatedNs() / 1e9) + " in a healthy step");
    }

    /** Compares a run with a fault, which must fit in memory, with the profile. */
    public Finding of(ScenarioPoint point) throws InputException, IOException, InterruptedException {
        List<Finding> findings = new ArrayList<>();
        for (int rank : ranks(point)) {
            Fault fault = new Fault(point, simulated(point, rank));
            findings.add(new Finding(distance(fault.step()), ProfileRules.contradiction(seen, fault)));
        }
        return findings.stream()
                .min(Comparator.comparing((Finding one) -> !one.contradiction().isEmpty())
                        .thenComparing(Finding::distance))
                .orElseThrow();
    }

    /** Ranks to compare with. The slow GPU of a simulation is rank 0; the profile may be of the slow rank or of one that waits for it. */
    private List<Integer> ranks(ScenarioPoint point) {
        int own = seen.real().profile().rank();
        if (!ProfileRules.isSlowGpu(point)) {
            return List.of(own);
        }
        int waiting = own == 0 ? 1 : own;
        Arrivals arrivals = seen.arrivals();
        return !arrivals.isAlwaysTheSame()
                ? List.of(0, waiting)
                : List.of(arrivals.late().get(0).rank() == own ? 0 : waiting);
    }

    /** What is longer or shorter than in a healthy step, but for a strength: twice as much of each part is the same fault. */
    private double distance(Side fault) {
        List<Part> would = ProfileComparison.details(fault, seen.healthy());
        double both = 0;
        double squares = 0;
        double all = 0;
        double usual = 0;
        for (Part part : would) {
            both += (double) part.longerNs() * ProfileComparison.longerNs(details, part.name());
            squares += (double) part.longerNs() * part.longerNs();
        }
        for (Part part : details) {
            all += (double) part.longerNs() * part.longerNs();
            usual += (double) part.simulatedNs() * part.simulatedNs();
        }
        double strength = Math.min(STRENGTH_MAX, Math.max(1 / STRENGTH_MAX, both / squares));
        return StrictMath.sqrt(Math.max(0, all - 2 * strength * both + strength * strength * squares) / usual);
    }
}
