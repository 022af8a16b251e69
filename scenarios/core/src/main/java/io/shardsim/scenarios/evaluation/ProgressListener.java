package io.shardsim.scenarios.evaluation;

/** Hears how far some runs are; called from several threads. */
@FunctionalInterface
public interface ProgressListener {

    /**
     * @param share of all work that is done, 0 to 1
     * @param what how many points are done, for people
     */
    void show(double share, String what);
}
