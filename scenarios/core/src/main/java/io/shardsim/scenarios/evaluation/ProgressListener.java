package io.shardsim.scenarios.evaluation;

/** Receives progress of runs; called from several threads. */
@FunctionalInterface
public interface ProgressListener {

    /**
     * @param share share of the work done, 0 to 1
     * @param what number of finished points, as a phrase
     */
    void show(double share, String what);
}
