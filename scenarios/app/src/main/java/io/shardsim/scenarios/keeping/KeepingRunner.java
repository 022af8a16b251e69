package io.shardsim.scenarios.keeping;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.run.RunLimits;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Stores each point that another runner finishes, and when resuming answers stored points without running them. */
public final class KeepingRunner extends ForwardingRunner {
    private final Map<String, KeptPoints> keptByScenario;
    private final boolean resumes;
    private final Consumer<String> tell;
    private final Queue<ScenarioPoint> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger resumed = new AtomicInteger();
    private final AtomicBoolean toldOfFailure = new AtomicBoolean();

    /**
     * @param keptByScenario stores by scenario; none for a scenario whose points are not stored
     * @param resumes whether to skip points that are stored
     * @param tell receives, once, why points cannot be stored
     */
    public KeepingRunner(
            ScenarioRunner runner, Map<String, KeptPoints> keptByScenario, boolean resumes, Consumer<String> tell) {
        super(runner);
        this.keptByScenario = Map.copyOf(keptByScenario);
        this.resumes = resumes;
        this.tell = tell;
    }

    @Override
    public RunResult run(ScenarioPoint point) throws InterruptedException {
        return run(point, () -> runner().run(point));
    }

    @Override
    public RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
        return run(point, () -> runner().run(point, limits));
    }

    private interface Run {
        RunResult toItsEnd() throws InterruptedException;
    }

    private RunResult run(ScenarioPoint point, Run run) throws InterruptedException {
        KeptPoints kept = keptByScenario.get(point.scenario());
        if (kept == null) {
            return run.toItsEnd();
        }
        asked.add(point);
        Optional<RunResult> before = resumes ? kept.find(point) : Optional.empty();
        if (before.isPresent()) {
            resumed.incrementAndGet();
            return before.get();
        }
        RunResult result = run.toItsEnd();
        try {
            kept.keep(point, result);
        } catch (IOException failure) {
            if (!toldOfFailure.getAndSet(true)) {
                tell.accept("cannot keep finished points for --resume: " + failure.getMessage());
            }
        }
        return result;
    }

    /** Deletes the stored points, once everything that follows from them is written. */
    public void forget() throws IOException {
        for (KeptPoints kept : keptByScenario.values()) {
            kept.forget(List.copyOf(asked));
        }
    }

    /** Returns the number of points that were not run again. */
    public int resumed() {
        return resumed.get();
    }
}
