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
 * Who arrives last at the collectives of a step, by profiles of several ranks: the rank with the shortest kernel, since the others wait in theirs. Starts are not compared: clocks of
 * ranks differ.
 *
 * @param stepNs how long the step of the first profile takes
 * @param ranks whose profiles were read
 * @param collectives that two of them or more took part in
 * @param late ranks that were last, the one that others waited for longest first
 */
public record Arrivals(long stepNs, int ranks, int collectives, List<Late> late) {
    /** In which all ranks of a group do the same. */
    private static final Set<String> ALIKE = Set.of("all-gather", "reduce-scatter", "all-reduce");
    /** A shortest kernel within this of the next counts as nobody's. */
    private static final double NOTABLE = 0.02;

    private static final double NOTABLE_OF_STEP = 0.005;

    /**
     * A rank that arrives last.
     *
     * @param last at how many collectives
     * @param waitedNs by how much its kernels are shorter than the median of the others there, together
     * @param exposedNs what the median of the others has of exposed collectives in the step beyond its own
     */
    record Late(int rank, int last, long waitedNs, long exposedNs) {}

    private record Arrival(int rank, long ns) {}

    /** Whether ranks wait for one another worth the mention. */
    boolean isAnyLate() {
        return !late.isEmpty() && late.get(0).waitedNs() > NOTABLE_OF_STEP * stepNs;
    }

    /** Whether the others wait for one rank alone, more than half way from chance to always. */
    boolean isAlwaysTheSame() {
        return isAnyLate() && shareOfFirst() > (1 + 1.0 / ranks) / 2;
    }

    /** Of all waiting, what is for the first one. */
    double shareOfFirst() {
        return (double) late.get(0).waitedNs()
                / late.stream().mapToLong(Late::waitedNs).sum();
    }

    /** Gathers what ranks show, one after another. */
    static final class Reader {
        private final Map<String, List<Arrival>> arrivals = new LinkedHashMap<>();
        private final TreeMap<Integer, String> files = new TreeMap<>();
        private final Map<Integer, Long> exposed = new TreeMap<>();

        /**
         * Adds a rank; the n-th collective of a kind and group is the n-th of every rank.
         *
         * @param problems takes that another file is of the same rank
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
