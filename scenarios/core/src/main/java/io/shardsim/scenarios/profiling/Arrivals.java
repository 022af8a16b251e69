package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which ranks arrive late at the collectives of a step, from profiles of several ranks. The last rank to arrive has the shortest kernel, since the
 * others wait inside theirs. Start times are not compared, because clocks of ranks differ.
 *
 * @param stepNs duration of the first profile's step
 * @param ranks number of profiles read
 * @param collectives number of collectives with at least two profiled ranks
 * @param late ranks that arrived last, sorted by how long others waited for them, longest first
 */
public record Arrivals(long stepNs, int ranks, int collectives, List<Late> late) {
    /** Collectives in which all ranks of a group do the same work. */
    private static final Set<String> ALIKE = Set.of("all-gather", "reduce-scatter", "all-reduce");
    /** If the shortest kernel is within this share of the next one, no rank counts as late [1]. */
    private static final double NOTABLE = 0.02;

    private static final double NOTABLE_OF_STEP = 0.005;

    /**
     * A rank that arrives last.
     *
     * @param last number of collectives at which it does
     * @param waitedNs how much shorter its kernels there are than the median of the other ranks, summed
     * @param exposedNs exposed collective time per step: median of the other ranks minus its own
     */
    record Late(int rank, int last, long waitedNs, long exposedNs) {}

    private record Arrival(int rank, long ns) {}

    /** Whether waiting for late ranks is a notable share of the step. */
    boolean isAnyLate() {
        return !late.isEmpty() && late.get(0).waitedNs() > NOTABLE_OF_STEP * stepNs;
    }

    /** Whether most of the waiting is for one rank: more than halfway between chance and always. */
    boolean isAlwaysTheSame() {
        return isAnyLate() && shareOfFirst() > (1 + 1.0 / ranks) / 2;
    }

    /** Share of all waiting that is for the first rank in the list. */
    double shareOfFirst() {
        return (double) late.get(0).waitedNs()
                / late.stream().mapToLong(Late::waitedNs).sum();
    }

    /** Collects collectives from one profile per rank. */
    static final class Reader {
        private final Map<String, List<Arrival>> arrivals = new LinkedHashMap<>();
        private final TreeMap<Integer, String> files = new TreeMap<>();
        private final Map<Integer, Long> exposed = new TreeMap<>();

        /**
         * Adds a rank. Collectives are matched across ranks by kind, group, size and order.
         *
         * @param problems receives an error if another file is of the same rank
         */
        void add(String file, Profile profile, List<Problem> problems) {
            String other = files.put(profile.rank(), file);
            if (other != null) {
                problems.add(new Problem(
                        file,
                        Position.NONE,
                        "is of rank " + profile.rank() + ", as " + other + " is; give one profile of each rank"));
            }
            Map<String, Integer> numbers = new HashMap<>();
            exposed.put(profile.rank(), StepSplit.of(profile).of(Kind.COLLECTIVES));
            for (Profile.Kernel kernel : profile.kernels()) {
                if (kernel.of().kind() == Kind.COLLECTIVES
                        && ALIKE.contains(kernel.of().name())) {
                    String kind = kernel.of().name() + " " + kernel.label().group() + kernel.bytes();
                    arrivals.computeIfAbsent(
                                    kind + " " + numbers.merge(kind, 1, Integer::sum), key -> new ArrayList<>())
                            .add(new Arrival(profile.rank(), kernel.ns()));
                }
            }
        }

        Arrivals arrivals(long stepNs) {
            Map<Integer, Late> late = new TreeMap<>();
            int compared = 0;
            for (List<Arrival> each : arrivals.values()) {
                if (each.size() < 2) {
                    continue;
                }
                compared++;
                each.sort(Comparator.comparingLong(Arrival::ns));
                Arrival last = each.get(0);
                if (each.get(1).ns() > (1 + NOTABLE) * last.ns()) {
                    late.merge(
                            last.rank(),
                            new Late(
                                    last.rank(),
                                    1,
                                    each.get(1 + (each.size() - 1) / 2).ns() - last.ns(),
                                    0),
                            (a, b) -> new Late(a.rank(), a.last() + b.last(), a.waitedNs() + b.waitedNs(), 0));
                }
            }
            return new Arrivals(
                    stepNs,
                    files.size(),
                    compared,
                    late.values().stream()
                            .map(one -> new Late(one.rank(), one.last(), one.waitedNs(), exposedNs(one.rank())))
                            .sorted(Comparator.comparingLong(Late::waitedNs).reversed())
                            .toList());
        }

        private long exposedNs(int late) {
            List<Long> others = exposed.entrySet().stream()
                    .filter(rank -> rank.getKey() != late)
                    .map(Map.Entry::getValue)
                    .toList();
            return Layers.median(others) - Objects.requireNonNull(exposed.get(late));
        }
    }
}
