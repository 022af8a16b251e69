package io.shardsim.simulator.observation;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.LinkClass;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chain of events that the end of a run waited for, each set off by the one before it: from the beginning to the end of the operation that ended
 * last. Its segments follow one another without a gap and sum to the run, to the picosecond.
 *
 * @param endPs length of the run [ps]
 * @param segments in the order of time
 */
public record CriticalPath(long endPs, List<Segment> segments) {

    /** What time went by with. */
    public enum Waiting {
        /** A kernel on the compute stream, at full speed. */
        KERNEL,
        /** What that kernel lost to what overlapped with it. */
        INTERFERENCE,
        /** A cast or a copy on another stream, what it waits for included. */
        COPY,
        /** The host process. */
        HOST,
        /** A collective's kernel, from its turn on its stream until it runs. */
        LAUNCH,
        /** A collective's thread blocks, copying or reducing. */
        THREAD_BLOCK,
        /** A link carries a chunk: serialization and latency. */
        LINK,
        /** A chunk waits for a transmitter that is busy with others. */
        QUEUE
    }

    /**
     * A stretch of the path.
     *
     * @param operation index in the plan
     * @param rank the rank that it happens at; that of the GPU that sends, for a chunk on its way
     * @param link the link that carries a chunk or has it wait; null for all else
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

        /** Whether the same goes on. */
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
