package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What can be watched of a run: operations of every simulated rank, journeys of chunks hop by hop from some instant on, and running totals.
 * Bounded in size however long the run: what no longer fits is left out and says so.
 *
 * @param cluster where it ran
 * @param representatives for each node, the node that was simulated in its place
 * @param spans executed operations of each simulated rank
 * @param journeys executed journeys of chunks
 * @param paths the paths that these journeys take, by id
 * @param totals running totals at some instants
 * @param skipped what was not executed because it repeats
 * @param labels words of each operation of the plan
 */
public record Recording(
        Cluster cluster,
        int[] representatives,
        Map<Integer, Spans> spans,
        Journeys journeys,
        Map<Integer, RecordedPath> paths,
        Totals totals,
        SkippedTime skipped,
        List<Label> labels) {
    /** Spans of all ranks together; the plan of a large model over many micro-batches has more than anyone looks at. */
    public static final int SPANS_MAX = 400_000;

    /**
     * What an operation of the plan is.
     *
     * @param collective kind of the collective; empty for work of the rank itself
     * @param totalBytes whole buffer of the collective; 0 for work of the rank itself [bytes]
     * @param operation as the plan has it
     * @param algorithm that carries the collective; empty for work of the rank itself
     */
    public record Label(
            String stream, String words, String collective, long totalBytes, Operation operation, String algorithm) {}

    /**
     * A path and the node that it leads to in the copy of each node that its source stands for.
     *
     * @param sourceRank rank that sends
     * @param slots slot in its node of each device on the way, the receiving GPU last
     * @param ports output port at each device but the last
     * @param far for each device, whether it lives with the receiving node
     * @param latencyPs latency of each hop [ps]
     * @param destinationNodes by node; -1 for nodes that are not copies of the source's
     */
    public record RecordedPath(
            int sourceRank, int[] slots, int[] ports, boolean[] far, long[] latencyPs, int[] destinationNodes) {}

    /**
     * Compute of a rank stands still.
     *
     * @param stream that it waits for; COMPUTE where it is idle
     * @param keyPs as {@link Spans#keyPs}
     */
    public record Wait(Stream stream, long startPs, long endPs, long keyPs) {}

    /** Operations of a rank in the order of their ends. */
    public static final class Spans {
        private final int stage;
        private final List<Wait> waits = new ArrayList<>();
        private final LongList startPs = new LongList();
        private final LongList endPs = new LongList();
        private final LongList operations = new LongList();
        private final LongList keyPs = new LongList();

        /** @param stage of the pipeline, that the rank belongs to */
        public Spans(int stage) {
            this.stage = stage;
        }

        public int stage() {
            return stage;
        }

        /** Where compute stood still; between them it works. */
        public List<Wait> waits() {
            return waits;
        }

        /** @param key the instant that decides to which period of skipped time it belongs [ps] */
        public void add(int operation, long start, long end, long key) {
            operations.add(operation);
            startPs.add(start);
            endPs.add(end);
            keyPs.add(key);
        }

        public int size() {
            return operations.size();
        }

        public int operation(int index) {
            return (int) operations.get(index);
        }

        public long startPs(int index) {
            return startPs.get(index);
        }

        public long endPs(int index) {
            return endPs.get(index);
        }

        /** Its end, or just behind: what ends in the instant of a mark but after it belongs to the next period [ps]. */
        public long keyPs(int index) {
            return keyPs.get(index);
        }
    }

    /**
     * Chunks on their way from GPU to GPU, in the order in which they set out. Times are those of the run as executed: what was under way when time was
     * skipped goes on as if it had not been.
     */
    public static final class Journeys {
        private final LongList startPs = new LongList();
        private final LongList path = new LongList();
        private final LongList operation = new LongList();
        private final LongList channel = new LongList();
        private final LongList bytes = new LongList();
        private final LongList firstHop = new LongList();
        private final LongList hopTimes = new LongList();
        private final long fromPs;
        private long untilPs = Long.MAX_VALUE;

        /**
         * @param fromPs instant from which journeys are kept [ps]
         */
        public Journeys(long fromPs) {
            this.fromPs = fromPs;
        }

        /** Adds a journey and returns its index. */
        public int add(long start, int pathId, int hops, int operationIndex, int channelIndex, long sizeBytes) {
            startPs.add(start);
            path.add(pathId);
            operation.add(operationIndex);
            channel.add(channelIndex);
            bytes.add(sizeBytes);
            firstHop.add(hopTimes.size());
            for (int i = 0; i < 2 * hops; i++) {
                hopTimes.add(NOT_YET);
            }
            return startPs.size() - 1;
        }

        private static final long NOT_YET = -1;

        /** Notes when a hop's transmission begins and its last bit leaves, both since the journey's start [ps]. */
        public void setHop(int journey, int hop, long startsPs, long leavesPs) {
            int at = (int) firstHop.get(journey) + 2 * hop;
            hopTimes.set(at, startsPs);
            hopTimes.set(at + 1, leavesPs);
        }

        /** No journey is kept from here on [ps]. */
        public void closeAt(long ps) {
            untilPs = Math.min(untilPs, ps);
        }

        /** Executed journeys that begin in [fromPs, untilPs) are all here. */
        public long fromPs() {
            return fromPs;
        }

        public long untilPs() {
            return untilPs;
        }

        public int size() {
            return startPs.size();
        }

        /** When its first bit could be sent [ps]. */
        public long startPs(int journey) {
            return startPs.get(journey);
        }

        public int path(int journey) {
            return (int) path.get(journey);
        }

        public int operation(int journey) {
            return (int) operation.get(journey);
        }

        public int channel(int journey) {
            return (int) channel.get(journey);
        }

        public long bytes(int journey) {
            return bytes.get(journey);
        }

        public int hops(int journey) {
            int end = journey + 1 < firstHop.size() ? (int) firstHop.get(journey + 1) : hopTimes.size();
            return (end - (int) firstHop.get(journey)) / 2;
        }

        /** When a hop's transmission begins, since the journey's start; negative when the run ended before [ps]. */
        public long hopStartPs(int journey, int hop) {
            return hopTimes.get((int) firstHop.get(journey) + 2 * hop);
        }

        /** When the last bit leaves, since the journey's start [ps]. */
        public long hopLeavePs(int journey, int hop) {
            return hopTimes.get((int) firstHop.get(journey) + 2 * hop + 1);
        }
    }

    /** Running totals, at most {@link #SAMPLES_MAX} of them; the last one is that of the whole run. */
    public static final class Totals {
        /** Time, NIC bytes, exposed time, then the busy time of each link class. */
        public static final int COLUMNS = 3 + io.shardsim.topology.LinkClass.values().length;

        static final int SAMPLES_MAX = 4096;

        private long[][] samples = new long[SAMPLES_MAX][];
        private int size;
        private long stride = 1;
        private long offered;

        /** Adds a sample, or leaves it out when samples of its distance are no longer kept. */
        public void add(long[] sample) {
            if (offered++ % stride != 0) {
                return;
            }
            if (size == SAMPLES_MAX) {
                for (int i = 0; i < SAMPLES_MAX / 2; i++) {
                    samples[i] = samples[2 * i];
                }
                size = SAMPLES_MAX / 2;
                stride *= 2;
            }
            samples[size++] = sample;
        }

        /** Adds the last sample, whatever the distance. */
        public void close(long[] sample) {
            if (size == SAMPLES_MAX) {
                size--;
            }
            samples[size++] = sample;
            samples = Arrays.copyOf(samples, size);
        }

        public int size() {
            return size;
        }

        public long[] sample(int index) {
            return samples[index].clone();
        }

        public long[] last() {
            return sample(size - 1);
        }
    }

    /** Hears of a wait, whether it was executed or is a copy of one in time that was skipped. */
    public interface WaitListener {
        void wait(Stream stream, long startPs, long endPs);
    }

    /** Tells of all waits of a rank that overlap a window, skipped time included. */
    public void tellWaits(Spans rank, long fromPs, long untilPs, WaitListener listener) {
        for (Wait wait : rank.waits()) {
            skipped.copies(
                    wait.keyPs(),
                    wait.startPs(),
                    wait.endPs(),
                    fromPs,
                    untilPs,
                    (shiftPs, operations) ->
                            listener.wait(wait.stream(), wait.startPs() + shiftPs, wait.endPs() + shiftPs));
        }
    }

    /** Hears of an operation, whether it was executed or is a copy of one in time that was skipped. */
    public interface SpanListener {
        /** @param operation its place among the labels */
        void span(int operation, long startPs, long endPs);
    }

    /**
     * Tells of all that a rank did, skipped time included.
     *
     * @param untilPs what begins then or later is left out [ps]
     */
    public void tellAll(Spans rank, long untilPs, SpanListener listener) {
        for (int i = 0; i < rank.size(); i++) {
            int operation = rank.operation(i);
            long startPs = rank.startPs(i);
            long endPs = rank.endPs(i);
            skipped.copies(
                    rank.keyPs(i),
                    startPs,
                    endPs,
                    0,
                    untilPs,
                    (shiftPs, operations) -> listener.span(operation + operations, startPs + shiftPs, endPs + shiftPs));
        }
    }
}
