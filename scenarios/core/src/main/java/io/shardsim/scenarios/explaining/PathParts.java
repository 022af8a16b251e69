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

/** A critical path added up: by what it waited for, by rank, and operation by operation. Each adds up to the path. */
final class PathParts {
    private PathParts() {}

    /**
     * What some of the path waited for.
     *
     * @param operation its words; empty for interference, which has many
     * @param link null where no link is waited for
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

    /** Time by what it waited for, the longest first [ps]. */
    static List<Map.Entry<Key, Long>> byKey(CriticalPath path) {
        Map<Key, Long> sums = new LinkedHashMap<>();
        path.segments().forEach(segment -> sums.merge(Key.of(segment), segment.ps(), Long::sum));
        return longestFirst(sums);
    }

    /** Time by rank, the longest first [ps]. */
    static List<Map.Entry<Integer, Long>> byRank(CriticalPath path) {
        Map<Integer, Long> sums = new TreeMap<>();
        path.segments().forEach(segment -> sums.merge(segment.rank(), segment.ps(), Long::sum));
        return longestFirst(sums);
    }

    /** Segments of the same operation that follow one another. */
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
