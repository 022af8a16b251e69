package io.shardsim.simulator.kernel;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;

/** How far a run is: told by the threads that advance it, read by any other, which may also end the run. */
public final class RunControl {
    /** Events of a thread between two beats of it, a power of two: some hundredths of a second. */
    static final int EVENTS = 1 << 14;

    private final AtomicLong events = new AtomicLong();
    private final AtomicLong nowPs = new AtomicLong();
    private volatile boolean abandoned;

    /**
     * @param more events that the calling thread has executed since its last beat
     * @throws CancellationException when nobody waits for the run any longer
     */
    void beat(long more, long timePs) {
        events.addAndGet(more);
        nowPs.accumulateAndGet(timePs, Math::max);
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

    /** Events that all threads had executed at their last beats. */
    public long events() {
        return events.get();
    }

    /** Virtual time of the latest beat [ps]. */
    public long nowPs() {
        return nowPs.get();
    }
}
