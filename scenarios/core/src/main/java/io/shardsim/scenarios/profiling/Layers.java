package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Duration of each layer in a step, from first to last. A layer is the shortest sequence of GEMMs and attention kernels that repeats at least three
 * times in a row. It lasts from the end of the previous layer to its own last GEMM, so it includes the wait for its own parameters. The first such
 * sequence of a step is forward; the most common of the others is backward. With several micro-batches, each layer has its median.
 *
 * @param forwardNs empty if nothing repeats
 * @param backwardNs empty if no second sequence repeats
 */
record Layers(List<Long> forwardNs, List<Long> backwardNs) {
    private static final String ATTENTION = "attention";
    private static final String WHOLE = "layers as a whole";
    private static final Set<String> TOLD = Set.of(ATTENTION, WHOLE, "GEMMs", "convolutions");
    private static final int REPEATS_MIN = 3;
    /** Maximum number of kernels per layer, and of passes over the kernels. */
    private static final int PERIOD_MAX = 500;

    private static final double NOTABLE = 0.1;

    /** Consecutive layers with the same kernels, from a given kernel on. */
    private record Run(int from, int period, int repeats) {
        int end() {
            return from + period * repeats;
        }
    }

    static Layers of(Profile profile) {
        List<Profile.Kernel> computing = computing(profile);
        List<Profile.Kernel> told =
                computing.stream().filter(one -> TOLD.contains(one.of().name())).toList();
        Map<List<String>, List<List<Long>>> kinds = new LinkedHashMap<>();
        for (Run run : runs(told)) {
            List<String> names = told.subList(run.from(), run.from() + run.period()).stream()
                    .map(one -> one.label().name())
                    .sorted()
                    .toList();
            kinds.computeIfAbsent(names, same -> new ArrayList<>()).add(times(run, told, computing));
        }
        if (kinds.isEmpty()) {
            return new Layers(List.of(), List.of());
        }
        List<List<List<Long>>> all = new ArrayList<>(kinds.values());
        List<Long> backward = all.stream()
                .skip(1)
                .max(Comparator.comparingInt(
                        runs -> runs.stream().mapToInt(List::size).sum()))
                .map(Layers::medians)
                .orElse(List.of());
        List<Long> turned = new ArrayList<>(backward);
        Collections.reverse(turned);
        return new Layers(medians(all.get(0)), turned);
    }

    /** Kernels of the stream that computes most. */
    static List<Profile.Kernel> computing(Profile profile) {
        Map<String, Long> streams = new TreeMap<>();
        List<Profile.Kernel> all = profile.kernels().stream()
                .filter(one -> one.of().kind() == Kind.COMPUTING)
                .toList();
        all.forEach(one -> streams.merge(one.label().stream(), one.ns(), Long::sum));
        String most = streams.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
        return all.stream().filter(one -> one.label().stream().equals(most)).toList();
    }

    /** Finds non-overlapping runs, shorter layers first; sorted by position in the step. */
    private static List<Run> runs(List<Profile.Kernel> told) {
        Map<String, Integer> numbers = new HashMap<>();
        int[] names = told.stream()
                .mapToInt(one -> numbers.computeIfAbsent(one.label().name(), same -> numbers.size()))
                .toArray();
        boolean attends = told.stream().anyMatch(one -> one.of().name().equals(ATTENTION));
        boolean[] taken = new boolean[names.length];
        List<Run> runs = new ArrayList<>();
        for (int period = 1; period <= Math.min(PERIOD_MAX, names.length / REPEATS_MIN); period++) {
            int from = 0;
            for (int i = 0; i + period <= names.length; i++) {
                boolean same = i + period < names.length && names[i] == names[i + period];
                if (same && !taken[i] && !taken[i + period]) {
                    continue;
                }
                Run run = aligned(told, from, i + period, period);
                from = i + 1;
                if (run.repeats() >= REPEATS_MIN && isLayer(told.subList(run.from(), run.from() + period), attends)) {
                    Arrays.fill(taken, run.from(), run.end(), true);
                    runs.add(run);
                }
            }
        }
        runs.sort(Comparator.comparingInt(Run::from));
        return runs;
    }

    /**
     * Aligns the layers of a sequence that also contains a fraction of a layer: kernels before or after the layers, such as those of the head, with
     * the same names as the layers' kernels but other durations.
     */
    private static Run aligned(List<Profile.Kernel> told, int from, int until, int period) {
        int repeats = (until - from) / period;
        long[] usual = IntStream.range(from, Math.min(until, from + period))
                .mapToLong(first -> median(IntStream.iterate(first, at -> at < until, at -> at + period)
                        .mapToObj(at -> told.get(at).ns())
                        .toList()))
                .toArray();
        int start = from;
        long least = 0;
        long now = 0;
        for (int at = from; at + repeats * period < until; at++) {
            int next = at + repeats * period;
            now += Math.abs(told.get(next).ns() - usual[(next - from) % period])
                    - Math.abs(told.get(at).ns() - usual[at - from]);
            if (now < least) {
                least = now;
                start = at + 1;
            }
        }
        return new Run(start, period, repeats);
    }

    /** Bare consecutive GEMMs are not a layer; neither are kernels without attention if the step has any. */
    private static boolean isLayer(List<Profile.Kernel> period, boolean attends) {
        Set<String> classes = period.stream().map(one -> one.of().name()).collect(Collectors.toSet());
        return classes.contains(WHOLE)
                || (attends
                        ? classes.contains(ATTENTION)
                        : period.stream()
                                        .map(one -> one.label().name())
                                        .distinct()
                                        .count()
                                > 1);
    }

    private static List<Long> times(Run run, List<Profile.Kernel> told, List<Profile.Kernel> computing) {
        long startNs = told.get(run.from()).startNs();
        long before = computing.stream()
                .takeWhile(one -> one.startNs() < startNs)
                .mapToLong(Profile.Kernel::endNs)
                .max()
                .orElse(startNs);
        List<Long> times = new ArrayList<>();
        for (int i = 1; i <= run.repeats(); i++) {
            long end = told.get(run.from() + i * run.period() - 1).endNs();
            times.add(end - before);
            before = end;
        }
        return times;
    }

    /** Median duration of each layer, over the runs with the usual number of layers. */
    private static List<Long> medians(List<List<Long>> runs) {
        Map<Integer, Long> lengths =
                runs.stream().collect(Collectors.groupingBy(List::size, TreeMap::new, Collectors.counting()));
        int usual = Collections.max(lengths.entrySet(), Map.Entry.comparingByValue())
                .getKey();
        return IntStream.range(0, usual)
                .mapToObj(layer -> median(runs.stream()
                        .filter(run -> run.size() == usual)
                        .map(run -> run.get(layer))
                        .toList()))
                .toList();
    }

    /** Indices of layers more than a tenth off the median. */
    static List<Integer> odd(List<Long> layers) {
        long usual = median(layers);
        return IntStream.range(0, layers.size())
                .filter(layer -> Math.abs(layers.get(layer) - usual) > NOTABLE * usual)
                .boxed()
                .toList();
    }

    /** Number of forward and backward layers. */
    int number() {
        return forwardNs.size() + backwardNs.size();
    }

    /** Total forward time of the layers [ns]. */
    long forward() {
        return forwardNs.stream().mapToLong(Long::longValue).sum();
    }

    /** Total backward time of the layers [ns]. */
    long backward() {
        return backwardNs.stream().mapToLong(Long::longValue).sum();
    }

    static long median(List<Long> times) {
        return times.stream().sorted().skip((times.size() - 1) / 2).findFirst().orElse(0L);
    }
}
