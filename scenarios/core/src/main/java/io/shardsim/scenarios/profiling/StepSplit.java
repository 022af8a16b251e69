package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the time of a step goes: each instant belongs to a kernel that computes, else to a collective, else to a copy, else to nothing. Of several of a kind it belongs to the
 * one that began first.
 *
 * @param parts by class of kernels, what belongs to it; {@code idle} for the rest [ns]
 * @param collectives by class, all of it
 */
record StepSplit(long stepNs, Map<String, Long> parts, Map<String, Traffic> collectives) {
    static final String IDLE = "idle";

    /**
     * Collectives of one class.
     *
     * @param bytes sum of their whole buffers; 0 where the profile does not say [bytes]
     * @param busyNs sum of their durations, whatever goes on beside them
     */
    record Traffic(int number, long bytes, long busyNs) {
        Traffic with(Profile.Kernel kernel) {
            return new Traffic(number + 1, bytes + kernel.bytes(), busyNs + kernel.endNs() - kernel.startNs());
        }
    }

    /** Times that are taken, by their beginnings; none touches another. */
    private static final class Taken {
        private final TreeMap<Long, Long> ends = new TreeMap<>();

        /** Takes what is free of a time. */
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

    /** Of all collectives of a class, whatever goes on beside them [ns]. */
    long busyNs(String name) {
        Traffic traffic = collectives.get(name);
        return traffic == null ? 0 : traffic.busyNs();
    }

    /** What belongs to nothing [ns]. */
    long idleNs() {
        return parts.getOrDefault(IDLE, 0L);
    }

    /** What belongs to all kernels of a kind [ns]. */
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
