package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Recording of a run: operations of every simulated rank, journeys of chunks hop by hop from some instant on, and running totals. Its size is bounded
 * for any run: the excess is dropped and reported.
 *
 * @param cluster cluster of the run
 * @param representatives simulated representative of each node
 * @param spans executed operations of each simulated rank
 * @param journeys executed journeys of chunks
 * @param paths paths of these journeys, by ID
 * @param totals running totals at some instants
 * @param skipped time that was not executed because it repeats
 * @param labels label of each operation of the plan
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
    /** Maximum spans of all ranks together; the plan of a large model over many micro-batches has more than anyone looks at. */
    public static final int SPANS_MAX = 400_000;

    /**
     * Description of an operation of the plan.
     *
     * @param collective kind of the collective; empty for local work
     * @param totalBytes whole buffer of the collective; 0 for local work [bytes]
     * @param operation operation in the plan
     * @param algorithm algorithm of the collective; empty for local work
     */
    public record Label(
            String stream, String words, String collective, long totalBytes, Operation operation, String algorithm) {}

    /**
     * Path, and its destination node in the copy of each node that its source represents.
     *
     * @param sourceRank rank that sends
     * @param slots slot in its node of each device on the path, the receiving GPU last
     * @param ports output port at each device but the last
     * @param far whether each device lives with the receiving node
     * @param latencyPs latency of each hop [ps]
     * @param destinationNodes destination by node; -1 for nodes that are not copies of the source's
     */
    public record RecordedPath(
            int sourceRank, int[] slots, int[] ports, boolean[] far, long[] latencyPs, int[] destinationNodes) {}

    /**
     * Idle time of a rank's compute.
     *
     * @param stream stream that it waits for; COMPUTE if it waits for none
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

        /** @param stage pipeline stage of the rank */
        public Spans(int stage) {
            this.stage = stage;
        }

        public int stage() {
            return stage;
        }

        /** Returns the idle times of compute; between them it works. */
        public List<Wait> waits() {
            return waits;
        }

        /** @param key instant that determines its period of skipped time [ps] */
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

        /** Returns its end, or just after: an operation that ends at the instant of a mark but after it belongs to the next period [ps]. */
        public long keyPs(int index) {
            return keyPs.get(index);
        }
    }

    /**
     * Journeys of chunks from GPU to GPU, in the order of departure. Times are from the executed run: a chunk in flight when time was skipped
     * continues as if it had not been.
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

        /** @param fromPs instant from which journeys are recorded [ps] */
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

        /** Records when a hop's transmission begins and its last bit leaves, both since the journey's start [ps]. */
        public void setHop(int journey, int hop, long startsPs, long leavesPs) {
            int at = (int) firstHop.get(journey) + 2 * hop;
            hopTimes.set(at, startsPs);
            hopTimes.set(at + 1, leavesPs);
        }

        /** Stops recording journeys from this instant on [ps]. */
        public void closeAt(long ps) {
            untilPs = Math.min(untilPs, ps);
        }

        /** Returns the start of the range [fromPs, untilPs) in which all executed journeys are recorded. */
        public long fromPs() {
            return fromPs;
        }

        public long untilPs() {
            return untilPs;
        }

        public int size() {
            return startPs.size();
        }

        /** Returns when the first bit could be sent [ps]. */
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

        /** Returns when a hop's transmission begins, since the journey's start; negative if the run ended before [ps]. */
        public long hopStartPs(int journey, int hop) {
            return hopTimes.get((int) firstHop.get(journey) + 2 * hop);
        }

        /** Returns when the last bit leaves, since the journey's start [ps]. */
        public long hopLeavePs(int journey, int hop) {
            return hopTimes.get((int) firstHop.get(journey) + 2 * hop + 1);
        }
    }

    /** Running totals, at most {@link #SAMPLES_MAX} samples; the last one covers the whole run. */
    public static final class Totals {
        /** Columns: time, NIC bytes, exposed time, then the busy time of each link class. */
        public static final int COLUMNS = 3 + io.shardsim.topology.LinkClass.values().length;

        static final int SAMPLES_MAX = 4096;

        private long[][] samples = new long[SAMPLES_MAX][];
        private int size;
        private long stride = 1;
        private long offered;

        /** Adds a sample, or drops it if samples that close are no longer kept. */
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

        /** Adds the last sample, at any distance. */
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

    /** Receiver of waits, executed or repeated in skipped time. */
    public interface WaitListener {
        void wait(Stream stream, long startPs, long endPs);
    }

    /** Reports all waits of a rank that overlap a window, skipped time included. */
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

    /** Receiver of operations, executed or repeated in skipped time. */
    public interface SpanListener {
        /** @param operation index among the labels */
        void span(int operation, long startPs, long endPs);
    }

    /**
     * Reports all operations of a rank, skipped time included.
     *
     * @param untilPs instant from which operations are left out [ps]
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
