package io.shardsim.scenarios.api;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** A running scenario. */
public final class Execution {
    private final io.shardsim.scenarios.scenario.Scenario scenario;
    private final PointRuns runs;
    private final CompletableFuture<Results> results = new CompletableFuture<>();

    private Execution(io.shardsim.scenarios.scenario.Scenario scenario, int threads) {
        this.scenario = scenario;
        runs = new PointRuns(List.of(scenario), threads);
    }

    static Execution start(Scenario scenario, int threads, Consumer<Progress> progress) {
        Execution execution = new Execution(scenario.read(), threads);
        Thread thread = new Thread(() -> execution.run(threads, progress), "shardsim-" + scenario.name());
        thread.setDaemon(true);
        thread.start();
        return execution;
    }

    private void run(int threads, Consumer<Progress> progress) {
        RunOptions options = new RunOptions(threads, true).sharedBy(runs.total());
        try (ScenarioRunner runner = new PointSimulation(options)) {
            runs.runAll(runner, (share, text) -> progress.accept(new Progress(share, text)));
            if (runs.failures().isEmpty()) {
                results.complete(
                        new Results(ScenarioResult.of(scenario.name(), runs.results(scenario)), !runs.interrupted()));
            } else {
                results.completeExceptionally(new SimulationFailedException(runs.failures()));
            }
        } catch (RuntimeException | Error unexpected) {
            results.completeExceptionally(unexpected);
        }
    }

    /** Cancels the runs and starts no more; {@link #results} then has the points that finished. */
    public void cancel() {
        runs.interrupt();
    }

    public boolean isDone() {
        return results.isDone();
    }

    /**
     * Waits for the end.
     *
     * @throws SimulationFailedException when a run violated an invariant of the simulation
     * @throws InterruptedException when the calling thread is interrupted; the execution continues
     */
    public Results results() throws InterruptedException {
        try {
            return results.get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof SimulationFailedException failed) {
                throw failed;
            }
            throw new IllegalStateException(failure.getCause());
        }
    }
}
