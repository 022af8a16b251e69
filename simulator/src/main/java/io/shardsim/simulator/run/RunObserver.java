package io.shardsim.simulator.run;

import io.shardsim.simulator.device.PortObserver;
import io.shardsim.simulator.kernel.Causality;
import io.shardsim.simulator.kernel.FastForward;
import org.jspecify.annotations.Nullable;

/**
 * Hears all that a run does, in virtual time: operations of every rank that is simulated, bookings at every port, and what is skipped because it
 * repeats. It changes no result.
 */
public interface RunObserver extends PortObserver, FastForward.SkipObserver {

    /** All devices exist; nothing has happened yet. */
    void onAssembled(RunView run);

    void onOperationEnded(int rank, int operation, long startPs, long endPs);

    /** Compute of a rank has stood still, for which the stream of an ordinal is blamed; COMPUTE before its first operation. */
    default void onExposed(int rank, int stream, long fromPs, long untilPs) {}

    /**
     * From when on it hears of every chunk that is executed; until then, steps within a collective are skipped as well. No port tells one that begins with
     * {@link Long#MAX_VALUE} [ps].
     */
    default long chunksFromPs() {
        return 0;
    }

    /** Who follows which event sends which; null when nobody does. A run with one must not skip repetition. */
    default @Nullable Causality causality() {
        return null;
    }

    /** Rank 0 has reached a place where the plan may begin to repeat; skipping may follow. */
    void onMarkReached(long nowPs);
}
