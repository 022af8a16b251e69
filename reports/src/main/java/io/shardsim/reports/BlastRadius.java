package io.shardsim.reports;

import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which ranks wait for slow ones, and on which stream: the extra time of each rank in a step with faults over the step without them. Ranks with
 * similar losses are grouped.
 *
 * <p>On each rank, extra work, extra interference and extra waiting sum to the step's extra time, to the picosecond. Group means are rounded down.
 *
 * @param longerPs extra time of the step [ps]; negative if faults shorten it
 * @param groups ranks grouped by how they lose time, by first rank; unaffected ranks are in no group, and a bare collective has none
 */
public record BlastRadius(long longerPs, List<Group> groups) {
    /** Divisor of the step's extra time below which a loss makes no group. */
    private static final int NOTHING = 100;

    private static final int RANGES_MAX = 3;
    /** Divisor of the longest wait above which a wait is mentioned. */
    private static final int WORTH_SAYING = 10;

    /**
     * Ranks with similar losses.
     *
     * @param ranks the ranks in ascending order
     * @param worksPs mean extra work [ps]
     * @param slowedPs mean extra slowdown by overlapped collectives; negative if fewer overlap [ps]
     * @param waitsPs mean extra waiting by stream as in reports [ps]; COMPUTE: idle before, after or at the end
     */
    public record Group(List<Integer> ranks, long worksPs, long slowedPs, Map<Stream, Long> waitsPs) {
        public Group {
            ranks = List.copyOf(ranks);
        }

        /** Formats the ranks, for example {@code 0-6, 8}. */
        public String ranges() {
            List<String> ranges = ranges(ranks);
            return ranges.size() <= RANGES_MAX
                    ? String.join(", ", ranges)
                    : String.join(", ", ranges.subList(0, RANGES_MAX)) + ", ...";
        }

        private static List<String> ranges(List<Integer> ranks) {
            List<String> ranges = new ArrayList<>();
            for (int from = 0; from < ranks.size(); ) {
                int to = from;
                while (to + 1 < ranks.size() && ranks.get(to + 1) == ranks.get(to) + 1) {
                    to++;
                }
                ranges.add(ranks.get(from) + (to == from ? "" : "-" + ranks.get(to)));
                from = to + 1;
            }
            return ranges;
        }

        /** Returns the stream they wait for most; COMPUTE if they are idle or work. */
        private Stream mostly() {
            return waitsPs.entrySet().stream()
                    .max(Map.Entry.<Stream, Long>comparingByValue()
                            .thenComparing(entry -> -entry.getKey().ordinal()))
                    .map(Map.Entry::getKey)
                    .orElse(Stream.COMPUTE);
        }

        /** Returns whether they are the slow ranks. */
        public boolean works() {
            return worksPs + slowedPs > waitsPs.getOrDefault(mostly(), 0L);
        }

        private String words() {
            Stream stream = mostly();
            String who = Quantities.counted(ranks.size(), "rank") + " (" + ranges() + ")";
            if (works()) {
                return who + (ranks.size() == 1 ? " works " : " work ") + seconds(worksPs + slowedPs) + " longer";
            }
            if (stream == Stream.COMPUTE) {
                return who + (ranks.size() == 1 ? " is idle " : " are idle ")
                        + seconds(waitsPs.getOrDefault(stream, 0L)) + " longer";
            }
            return who
                    + (ranks.size() == 1 ? " waits " : " wait ")
                    + waitsPs.entrySet().stream()
                            .filter(wait -> wait.getKey() != Stream.COMPUTE
                                    && wait.getValue() > waitsPs.getOrDefault(stream, 0L) / WORTH_SAYING)
                            .map(wait -> seconds(wait.getValue()) + " longer for "
                                    + StreamLook.of(wait.getKey()).waitedFor())
                            .collect(Collectors.joining(" and "));
        }
    }

    /** The losses of one rank, split like a group's. */
    private record Loss(int rank, long worksPs, long slowedPs, Map<Stream, Long> waitsPs) {
        static Loss of(RankTotals with, long endWithPs, RankTotals without, long endWithoutPs) {
            Map<Stream, Long> waits = waits(with, endWithPs);
            waits(without, endWithoutPs).forEach((stream, ps) -> waits.merge(stream, -ps, Long::sum));
            long slowed = with.slowdownPs() - without.slowdownPs();
            return new Loss(with.rank(), busyPs(with) - busyPs(without) - slowed, slowed, waits);
        }

        private static long busyPs(RankTotals rank) {
            return rank.busyPs().getOrDefault(Stream.COMPUTE, 0L);
        }

        private static Map<Stream, Long> waits(RankTotals rank, long endPs) {
            Map<Stream, Long> waits = new EnumMap<>(Stream.class);
            rank.exposedPs().forEach((stream, ps) -> waits.merge(stream.reportedAs(), ps, Long::sum));
            waits.merge(Stream.COMPUTE, endPs - rank.finishPs(), Long::sum);
            return waits;
        }

        /** Returns the kind of loss: 0 for extra work, else a bit for each stream with a noticeable wait. */
        int kind(long noticeablePs) {
            int kind = worksPs + slowedPs >= mostPs() ? 0 : 1;
            for (Map.Entry<Stream, Long> wait : waitsPs.entrySet()) {
                if (kind > 0 && wait.getValue() > noticeablePs) {
                    kind |= 2 << wait.getKey().ordinal();
                }
            }
            return kind;
        }

        long mostPs() {
            return Math.max(
                    worksPs + slowedPs,
                    waitsPs.values().stream().mapToLong(Long::longValue).max().orElse(0));
        }
    }

    public BlastRadius {
        groups = List.copyOf(groups);
    }

    /** @param without the step without faults, on the same ranks */
    public static BlastRadius of(StepObservation with, StepObservation without) {
        long longer = with.endPs() - without.endPs();
        Map<Integer, List<Loss>> alike = new TreeMap<>();
        for (int i = 0; i < with.ranks().size(); i++) {
            Loss loss =
                    Loss.of(with.ranks().get(i), with.endPs(), without.ranks().get(i), without.endPs());
            if (loss.mostPs() > Math.max(0, longer / NOTHING)) {
                alike.computeIfAbsent(loss.kind(longer / WORTH_SAYING), kind -> new ArrayList<>())
                        .add(loss);
            }
        }
        return new BlastRadius(
                longer,
                alike.values().stream()
                        .map(BlastRadius::group)
                        .sorted(Comparator.comparing(group -> group.ranks().get(0)))
                        .toList());
    }

    private static Group group(List<Loss> losses) {
        Map<Stream, Long> waits = new EnumMap<>(Stream.class);
        for (Loss loss : losses) {
            loss.waitsPs().forEach((stream, ps) -> waits.merge(stream, ps, Long::sum));
        }
        waits.replaceAll((stream, ps) -> ps / losses.size());
        waits.values().removeIf(ps -> ps == 0);
        return new Group(
                losses.stream().map(Loss::rank).toList(),
                losses.stream().mapToLong(Loss::worksPs).sum() / losses.size(),
                losses.stream().mapToLong(Loss::slowedPs).sum() / losses.size(),
                waits);
    }

    /** Describes this in one or two sentences. */
    public String sentence() {
        if (longerPs == 0 && groups.isEmpty()) {
            return "The faults have no effect: this run does not wait for anything they slow down.";
        }
        // Delayed work overlaps with other work on links and GPU, and occasionally with less of it.
        return (longerPs < 0
                        ? "With the faults it takes " + seconds(-longerPs)
                                + " less; docs/model.md explains how under \"Where better hardware is slower\"."
                        : "The faults cost " + seconds(longerPs) + ".")
                + (groups.isEmpty()
                        ? ""
                        : " Blast radius: " + groups.stream().map(Group::words).collect(Collectors.joining("; "))
                                + ".");
    }

    private static String seconds(long ps) {
        return Quantities.seconds(ps * StepBreakdown.SECONDS_PER_PICOSECOND);
    }
}
