package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.LinkClass;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Critical path of a run: the chain of events, each triggered by the one before, from the start to the end of the operation that ended last. Its
 * segments are contiguous and sum to the run time, to the picosecond.
 *
 * @param endPs length of the run [ps]
 * @param segments segments in time order
 */
public record CriticalPath(long endPs, List<Segment> segments) {

    /** Kind of activity that takes the time. */
    public enum Waiting {
        /** Kernel on the compute stream, at full speed. */
        KERNEL,
        /** Time that this kernel lost to overlapping work. */
        INTERFERENCE,
        /** Cast or copy on another stream, including its wait. */
        COPY,
        /** Host process. */
        HOST,
        /** Collective's kernel, from its turn on its stream until it runs. */
        LAUNCH,
        /** Collective's thread blocks, copying or reducing. */
        THREAD_BLOCK,
        /** Link that carries a chunk: serialization and latency. */
        LINK,
        /** Chunk queued for a busy transmitter. */
        QUEUE
    }

    /**
     * Segment of the path.
     *
     * @param operation index in the plan
     * @param rank rank of the activity; for a chunk in flight, the sender's
     * @param link link that carries or queues a chunk; null for other activities
     */
    public record Segment(
            long startPs,
            long endPs,
            Waiting waiting,
            int operation,
            Operation what,
            int rank,
            @Nullable LinkClass link) {
        public long ps() {
            return endPs - startPs;
        }

        /** Returns whether this segment continues the same activity. */
        public boolean continues(Segment before) {
            return before.endPs == startPs
                    && before.waiting == waiting
                    && before.operation == operation
                    && before.rank == rank
                    && before.link == link;
        }
    }

    public CriticalPath {
        long atPs = 0;
        for (Segment segment : segments) {
            if (segment.startPs() != atPs || segment.endPs() < atPs) {
                throw new IllegalStateException("critical path: " + segment + " does not begin at " + atPs + " ps");
            }
            atPs = segment.endPs();
        }
        if (atPs != endPs) {
            throw new IllegalStateException("critical path ends at " + atPs + " ps, the run at " + endPs + " ps");
        }
        segments = List.copyOf(segments);
    }
}
