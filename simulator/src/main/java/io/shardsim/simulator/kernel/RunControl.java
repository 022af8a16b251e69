package io.shardsim.simulator.kernel;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;

/** Progress of a run: updated by the threads that advance it, read by any other, which may also cancel the run. */
public final class RunControl {
    /** Events of a thread between two updates, a power of two: some hundredths of a second. */
    static final int EVENTS = 1 << 14;

    private final AtomicLong events = new AtomicLong();
    private final AtomicLong nowPs = new AtomicLong();
    private volatile boolean abandoned;

    /**
     * @param more events executed by the calling thread since its last beat
     * @throws CancellationException if the run has been abandoned
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

    /** Cancels the run at its next beat. */
    public void abandon() {
        abandoned = true;
    }

    /** Returns the events that all threads had executed at their last beats. */
    public long events() {
        return events.get();
    }

    /** Returns the virtual time of the latest beat [ps]. */
    public long nowPs() {
        return nowPs.get();
    }
}
