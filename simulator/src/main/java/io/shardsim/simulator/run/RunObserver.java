package io.shardsim.simulator.run;

import io.shardsim.simulator.device.PortObserver;
import io.shardsim.simulator.kernel.Causality;
import io.shardsim.simulator.kernel.FastForward;
import org.jspecify.annotations.Nullable;

/** Observer of a run, in virtual time: operations of every simulated rank, bookings at every port, and skipped repetition. It changes no result. */
public interface RunObserver extends PortObserver, FastForward.SkipObserver {

    /** Called when all devices exist and nothing has happened yet. */
    void onAssembled(RunView run);

    void onOperationEnded(int rank, int operation, long startPs, long endPs);

    /** Receives a stretch of idle compute of a rank, attributed to the stream of an ordinal; COMPUTE before its first operation. */
    default void onExposed(int rank, int stream, long fromPs, long untilPs) {}

    /**
     * Returns the instant from which every executed chunk is reported; until then, steps within a collective are skipped too. With
     * {@link Long#MAX_VALUE} ports report nothing [ps].
     */
    default long chunksFromPs() {
        return 0;
    }

    /** Returns the tracer of which event sends which; null for none. A run with one must not skip repetition. */
    default @Nullable Causality causality() {
        return null;
    }

    /** Called when rank 0 reaches a place where the plan may begin to repeat; skipping may follow. */
    void onMarkReached(long nowPs);
}
