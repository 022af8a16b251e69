package io.shardsim.scenarios.composition;

/**
 * What the command line says about every run.
 *
 * @param threads points that run at once, at least 1
 * @param fastForward whether what is proven to repeat is skipped; changes no result
 */
public record RunOptions(int threads, boolean fastForward) {
    public RunOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1");
        }
    }
}
