package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Candidates that run together, wave by wave, until a search is interrupted or its time is over. */
final class Waves implements AutoCloseable {
    /** Concurrent waves, so that no thread waits for the slowest candidate of one. */
    static final int CONCURRENT = 2;

    private final String scenario;
    private final ExecutorService executor;

    /** State: guarded by this. */
    private final Deque<Wave> running = new ArrayDeque<>();
    /** Candidates that were not started. */
    private final List<BoundedCandidate> left = new ArrayList<>();

    private boolean interrupted;
    private boolean outOfTime;
    /** Whether a candidate has run to its end. */
    private boolean ran;

    /** Candidates simulated together. */
    record Wave(List<BoundedCandidate> candidates, PointRuns runs, Future<?> done) {}

    Waves(String scenario) {
        this.scenario = scenario;
        executor = Executors.newFixedThreadPool(CONCURRENT, task -> daemon(task, "wave"));
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts a wave unless the search has been stopped. */
    void start(List<BoundedCandidate> candidates, ScenarioRunner runner, int atOnce) {
        List<ScenarioPoint> points =
                candidates.stream().map(one -> one.candidate().point()).toList();
        PointRuns runs = new PointRuns(List.of(new Scenario(scenario, "", true, points)), atOnce, true);
        synchronized (this) {
            if (!isStopped()) {
                running.add(
                        new Wave(candidates, runs, executor.submit(() -> runs.runAll(runner, (share, what) -> {}))));
            } else {
                left.addAll(candidates);
            }
        }
    }

    /** Waits for the oldest waves until at most a number of them run, and hands over each; returns false if none ran. */
    boolean finish(int most, Consumer<Wave> settle) throws InterruptedException {
        boolean some = false;
        for (Wave wave = oldest(most); wave != null; wave = oldest(most)) {
            some = true;
            CandidateChecks.await(wave.done());
            if (!wave.runs().failures().isEmpty() && !wave.runs().onlyRefused()) {
                throw new IllegalStateException(
                        String.join(System.lineSeparator(), wave.runs().failures()));
            }
            settle.accept(wave);
            synchronized (this) {
                running.remove();
            }
        }
        return some;
    }

    private synchronized @Nullable Wave oldest(int most) {
        return running.size() > most ? running.peek() : null;
    }

    /** Candidates that a stop kept from starting. */
    synchronized List<BoundedCandidate> left() {
        return List.copyOf(left);
    }

    /** Cancels the runs and starts no more. */
    synchronized void interrupt() {
        interrupted = true;
        running.forEach(wave -> wave.runs().interrupt());
    }

    /** Stops like {@link #interrupt}, but not before a first candidate has run. */
    synchronized void endTime() {
        outOfTime = true;
        if (isStopped()) {
            running.forEach(wave -> wave.runs().interrupt());
        }
    }

    /** Notes that a candidate has run to its end. */
    synchronized void hasRun() {
        ran = true;
        if (outOfTime) {
            endTime();
        }
    }

    synchronized boolean isStopped() {
        return interrupted || outOfTime && ran;
    }

    synchronized boolean isInterrupted() {
        return interrupted;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
