package io.shardsim.scenarios.evaluation;

/**
 * What the command line says about every run.
 *
 * @param threads threads that simulate, at least 1
 * @param processes logical processes that one run may be split into, at least 1; changes no result
 * @param fastForward whether what is proven to repeat is skipped; changes no result
 * @param beyondMemory whether a run with a given micro-batch is simulated even where the memory ledger finds it too large
 */
public record RunOptions(int threads, int processes, boolean fastForward, boolean beyondMemory) {
    public RunOptions(int threads, boolean fastForward) {
        this(threads, fastForward, false);
    }

    public RunOptions(int threads, boolean fastForward, boolean beyondMemory) {
        this(threads, 1, fastForward, beyondMemory);
    }

    public RunOptions {
        if (threads < 1 || processes < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1 or processes " + processes + " < 1");
        }
    }

    /** The same with so many runs at once, one thread each. */
    public RunOptions withThreads(int other) {
        return new RunOptions(other, fastForward, beyondMemory);
    }

    /** The same with each run split such that so many runs keep all threads busy. */
    public RunOptions sharedBy(int runs) {
        return new RunOptions(threads, Math.max(1, threads / Math.max(1, runs)), fastForward, beyondMemory);
    }
}
