package io.shardsim.simulator.kernel;

import java.util.concurrent.CancellationException;

/** How far a run is: told by the thread that advances it, read by any other, which may also end the run. */
public final class Pulse {
    /** Events between two beats, a power of two: some hundredths of a second. */
    static final int EVENTS = 1 << 14;

    private volatile long events;
    private volatile long nowPs;
    private volatile boolean abandoned;

    /** @throws CancellationException when nobody waits for the run any longer */
    void beat(long executedEvents, long timePs) {
        events = executedEvents;
        nowPs = timePs;
        check();
    }

    void check() {
        if (abandoned) {
            throw new CancellationException("the run was abandoned");
        }
    }

    /** Ends the run at its next beat. */
    public void abandon() {
        abandoned = true;
    }

    /** Events that were executed until the last beat. */
    public long events() {
        return events;
    }

    /** Virtual time of the last beat [ps]. */
    public long nowPs() {
        return nowPs;
    }
}
