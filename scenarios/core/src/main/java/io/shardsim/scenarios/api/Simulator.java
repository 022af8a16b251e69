package io.shardsim.scenarios.api;

import java.util.function.Consumer;

/** Runs scenarios. Results do not depend on the number of threads. May be used by several threads at once. */
public final class Simulator {
    private final int threads;

    private Simulator(int threads) {
        this.threads = threads;
    }

    /** With as many threads as there are cores. */
    public static Simulator onAllCores() {
        return new Simulator(Runtime.getRuntime().availableProcessors());
    }

    /** @param threads points that run at once, or parts of one point where there are fewer points; at least 1 */
    public static Simulator onThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1; write 1 or more");
        }
        return new Simulator(threads);
    }

    /**
     * Runs every point of a scenario to its end.
     *
     * @throws SimulationFailedException when a run broke a rule of the simulation
     * @throws InterruptedException when the calling thread is interrupted; what runs is abandoned
     */
    public Results run(Scenario scenario) throws InterruptedException {
        Execution execution = start(scenario, progress -> {});
        try {
            return execution.results();
        } catch (InterruptedException abandoned) {
            execution.cancel();
            throw abandoned;
        }
    }

    /**
     * Begins to run every point of a scenario, and returns at once.
     *
     * @param progress called after every point, and once a second, from threads of the execution
     */
    public Execution start(Scenario scenario, Consumer<Progress> progress) {
        return Execution.start(scenario, threads, progress);
    }
}
