package io.shardsim.scenarios.composition;

/**
 * What the command line says about every run.
 *
 * @param threads points that run at once, at least 1
 * @param fastForward whether what is proven to repeat is skipped; changes no result
 * @param beyondMemory whether a run with a given micro-batch is simulated even where the memory ledger finds it too large
 */
public record RunOptions(int threads, boolean fastForward, boolean beyondMemory) {
    public RunOptions(int threads, boolean fastForward) {
        this(threads, fastForward, false);
    }

    public RunOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1");
        }
    }
}
