package io.shardsim.scenarios.api;

import java.util.function.Consumer;

/** Runs scenarios. Results do not depend on the number of threads. Thread-safe. */
public final class Simulator {
    private final int threads;

    private Simulator(int threads) {
        this.threads = threads;
    }

    /** Returns a simulator with one thread per core. */
    public static Simulator onAllCores() {
        return new Simulator(Runtime.getRuntime().availableProcessors());
    }

    /** @param threads points run concurrently, or parts of one point if there are fewer points; at least 1 */
    public static Simulator onThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads " + threads + " < 1; write 1 or more");
        }
        return new Simulator(threads);
    }

    /**
     * Runs every point of a scenario to completion.
     *
     * @throws SimulationFailedException when a run violated an invariant of the simulation
     * @throws InterruptedException when the calling thread is interrupted; running points are abandoned
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
     * Starts every point of a scenario and returns immediately.
     *
     * @param progress called after every point and once per second, from threads of the execution
     */
    public Execution start(Scenario scenario, Consumer<Progress> progress) {
        return Execution.start(scenario, threads, progress);
    }
}
