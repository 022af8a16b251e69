package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Splits a step by kernel class. Each instant counts as compute if a compute kernel runs, else as a collective, else as a copy, else as idle. Among
 * several kernels of a kind, the first to start counts.
 *
 * @param parts time by class; {@code idle} for the rest [ns]
 * @param collectives totals by class, overlapped time included
 */
record StepSplit(long stepNs, Map<String, Long> parts, Map<String, Traffic> collectives) {
    static final String IDLE = "idle";

    /**
     * Collectives of one class.
     *
     * @param bytes sum of the whole buffers; 0 if the profile does not state them [bytes]
     * @param busyNs sum of the durations, overlapped or not
     */
    record Traffic(int number, long bytes, long busyNs) {
        Traffic with(Profile.Kernel kernel) {
            return new Traffic(number + 1, bytes + kernel.bytes(), busyNs + kernel.endNs() - kernel.startNs());
        }
    }

    /** Intervals already counted, by start; disjoint. */
    private static final class Taken {
        private final TreeMap<Long, Long> ends = new TreeMap<>();

        /** Counts an interval; returns how much of it was not counted yet. */
        long take(long fromNs, long untilNs) {
            long free = 0;
            long at = fromNs;
            Map.Entry<Long, Long> before = ends.floorEntry(fromNs);
            long start = fromNs;
            if (before != null && before.getValue() >= fromNs) {
                start = before.getKey();
                at = Math.max(at, before.getValue());
                ends.remove(start);
            }
            long end = Math.max(untilNs, at);
            for (Map.Entry<Long, Long> next = ends.ceilingEntry(start);
                    next != null && next.getKey() <= untilNs;
                    next = ends.ceilingEntry(start)) {
                free += Math.max(0, next.getKey() - at);
                at = Math.max(at, next.getValue());
                end = Math.max(end, next.getValue());
                ends.remove(next.getKey());
            }
            free += Math.max(0, untilNs - at);
            ends.put(start, end);
            return free;
        }
    }

    static StepSplit of(Profile profile) {
        Taken taken = new Taken();
        Map<String, Long> parts = new LinkedHashMap<>();
        Map<String, Traffic> collectives = new LinkedHashMap<>();
        long left = profile.stepNs();
        for (Kind kind : Kind.values()) {
            for (Profile.Kernel kernel : profile.kernels()) {
                if (kernel.of().kind() == kind) {
                    long own = taken.take(clamp(kernel.startNs(), profile), clamp(kernel.endNs(), profile));
                    parts.merge(kernel.of().name(), own, Long::sum);
                    left -= own;
                    if (kind == Kind.COLLECTIVES) {
                        collectives.put(
                                kernel.of().name(),
                                collectives
                                        .getOrDefault(kernel.of().name(), new Traffic(0, 0, 0))
                                        .with(kernel));
                    }
                }
            }
        }
        if (left < 0) {
            throw new IllegalStateException(
                    "the parts of a step of " + profile.stepNs() + " ns are " + -left + " ns longer");
        }
        parts.put(IDLE, left);
        return new StepSplit(profile.stepNs(), parts, collectives);
    }

    private static long clamp(long ns, Profile profile) {
        return Math.max(profile.startNs(), Math.min(profile.endNs(), ns));
    }

    /** Total duration of a class of collectives, overlapped or not [ns]. */
    long busyNs(String name) {
        Traffic traffic = collectives.get(name);
        return traffic == null ? 0 : traffic.busyNs();
    }

    /** Time without any kernel [ns]. */
    long idleNs() {
        return parts.getOrDefault(IDLE, 0L);
    }

    /** Time that counts as a kind [ns]. */
    long of(Kind kind) {
        return names(kind).stream()
                .mapToLong(name -> parts.getOrDefault(name, 0L))
                .sum();
    }

    static List<String> names(Kind kind) {
        List<String> names = new ArrayList<>();
        KernelNames.all(kind).forEach(each -> names.add(each.name()));
        return names;
    }
}
