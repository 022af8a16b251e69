package io.shardsim.scenarios.evaluation;

/**
 * What the command line says about every run.
 *
 * @param threads threads that simulate, at least 1
 * @param processes logical processes that one run may be split into, at least 1; changes no result
 * @param fastForward whether what is proven to repeat is skipped; changes no result
 * @param tooLarge what becomes of a run with a given micro-batch that the memory ledger finds too large
 * @param eventsMax events that a run which skips repetition may execute; one that would execute more is given up
 */
public record RunOptions(int threads, int processes, boolean fastForward, TooLarge tooLarge, long eventsMax) {
    /** What becomes of a run that is too large. */
    public enum TooLarge {
        REFUSED,
        SIMULATED
    }

    /** Runs that may execute any number of events. */
    public RunOptions(int threads, int processes, boolean fastForward, TooLarge tooLarge) {
        this(threads, processes, fastForward, tooLarge, Long.MAX_VALUE);
    }

    /** A process for each run; what is too large is refused. */
    public RunOptions(int threads, boolean fastForward) {
        this(threads, 1, fastForward, TooLarge.REFUSED);
    }

    public RunOptions {
        if (threads < 1 || processes < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1 or processes " + processes + " < 1");
        }
    }

    public RunOptions running(TooLarge other) {
        return new RunOptions(threads, processes, fastForward, other, eventsMax);
    }

    /** The same with runs given up that would execute more events. */
    public RunOptions within(long otherEventsMax) {
        return new RunOptions(threads, processes, fastForward, tooLarge, otherEventsMax);
    }

    /** The same with so many runs at once, one thread each. */
    public RunOptions withThreads(int other) {
        return new RunOptions(other, 1, fastForward, tooLarge, eventsMax);
    }

    /** The same with each run split such that so many runs keep all threads busy. */
    public RunOptions sharedBy(int runs) {
        return new RunOptions(threads, Math.max(1, threads / Math.max(1, runs)), fastForward, tooLarge, eventsMax);
    }
}
