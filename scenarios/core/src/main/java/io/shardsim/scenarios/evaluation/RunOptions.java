package io.shardsim.scenarios.evaluation;

/**
 * Command-line options that apply to every run.
 *
 * @param threads threads that simulate, at least 1
 * @param processes maximum logical processes per run, at least 1; does not affect results
 * @param fastForward whether proven repetitions are skipped; does not affect results
 * @param tooLarge treatment of a run with a given micro-batch that does not fit by the memory ledger
 * @param eventsMax maximum executed events of a run that skips repetitions; a run beyond it is given up
 */
public record RunOptions(int threads, int processes, boolean fastForward, TooLarge tooLarge, long eventsMax) {
    /** Treatment of a run that is too large. */
    public enum TooLarge {
        REFUSED,
        SIMULATED
    }

    /** Creates options without a limit on events. */
    public RunOptions(int threads, int processes, boolean fastForward, TooLarge tooLarge) {
        this(threads, processes, fastForward, tooLarge, Long.MAX_VALUE);
    }

    /** Creates options with one logical process per run; runs that are too large are refused. */
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

    /** Returns these options with another limit on executed events. */
    public RunOptions within(long otherEventsMax) {
        return new RunOptions(threads, processes, fastForward, tooLarge, otherEventsMax);
    }

    /** Returns these options with a number of concurrent runs, one thread each. */
    public RunOptions withThreads(int other) {
        return new RunOptions(other, 1, fastForward, tooLarge, eventsMax);
    }

    /** Returns these options with each run split so that a number of concurrent runs keep all threads busy. */
    public RunOptions sharedBy(int runs) {
        return new RunOptions(threads, Math.max(1, threads / Math.max(1, runs)), fastForward, tooLarge, eventsMax);
    }
}
