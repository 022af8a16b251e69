package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.observation.CriticalPath.Segment;
import io.shardsim.simulator.observation.CriticalPath.Waiting;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Totals of a critical path: by what it waited for, by rank, and by operation. Each sums to the whole path. */
final class PathParts {
    private PathParts() {}

    /**
     * Activity that a part of the path waited for.
     *
     * @param operation the operation's description; empty for interference, which has many
     * @param link null if it waited for no link
     */
    record Key(
            Waiting waiting,
            String operation,
            String stream,
            @Nullable LinkClass link) {
        static Key of(Segment segment) {
            boolean lost = segment.waiting() == Waiting.INTERFERENCE;
            return new Key(
                    segment.waiting(),
                    lost ? "" : segment.what().label(),
                    Names.id(segment.what().stream().reportedAs()),
                    segment.link());
        }

        String words() {
            String at = link == null ? "" : Names.of(link);
            return switch (waiting) {
                case KERNEL -> operation;
                case INTERFERENCE -> "interference of collectives and copies";
                case COPY -> operation + ": copy";
                case HOST -> operation + ": host";
                case LAUNCH -> operation + ": launch";
                case THREAD_BLOCK -> operation + ": thread blocks";
                case LINK -> operation + ": " + at;
                case QUEUE -> operation + ": queue at " + at;
            };
        }
    }

    /** Returns time by what it waited for, longest first [ps]. */
    static List<Map.Entry<Key, Long>> byKey(CriticalPath path) {
        Map<Key, Long> sums = new LinkedHashMap<>();
        path.segments().forEach(segment -> sums.merge(Key.of(segment), segment.ps(), Long::sum));
        return longestFirst(sums);
    }

    /** Returns time by rank, longest first [ps]. */
    static List<Map.Entry<Integer, Long>> byRank(CriticalPath path) {
        Map<Integer, Long> sums = new TreeMap<>();
        path.segments().forEach(segment -> sums.merge(segment.rank(), segment.ps(), Long::sum));
        return longestFirst(sums);
    }

    /** Groups consecutive segments of one operation. */
    static List<List<Segment>> byOperation(CriticalPath path) {
        List<List<Segment>> stays = new ArrayList<>();
        int before = -1;
        for (Segment segment : path.segments()) {
            if (segment.operation() != before) {
                stays.add(new ArrayList<>());
            }
            stays.get(stays.size() - 1).add(segment);
            before = segment.operation();
        }
        return stays;
    }

    private static <K> List<Map.Entry<K, Long>> longestFirst(Map<K, Long> sums) {
        return sums.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .toList();
    }
}
