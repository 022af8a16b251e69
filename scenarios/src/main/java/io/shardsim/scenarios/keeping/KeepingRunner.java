package io.shardsim.scenarios.keeping;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.ForwardingRunner;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Keeps each point that another runner finishes, and answers those that are kept already where the run is to go on. */
public final class KeepingRunner extends ForwardingRunner {
    private final Map<String, KeptPoints> keptByScenario;
    private final boolean resumes;
    private final Consumer<String> tell;
    private final AtomicInteger resumed = new AtomicInteger();
    private final AtomicBoolean toldOfFailure = new AtomicBoolean();

    /**
     * @param keptByScenario where points of a scenario are kept; nothing for one whose points are not
     * @param resumes whether points that are kept are not run again
     * @param tell hears once why points cannot be kept
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
        KeptPoints kept = keptByScenario.get(point.scenario());
        if (kept == null) {
            return runner().run(point);
        }
        Optional<RunResult> before = resumes ? kept.find(point) : Optional.empty();
        if (before.isPresent()) {
            resumed.incrementAndGet();
            return before.get();
        }
        RunResult result = runner().run(point);
        try {
            kept.keep(point, result);
        } catch (IOException failure) {
            if (!toldOfFailure.getAndSet(true)) {
                tell.accept("finished points cannot be kept for --resume: " + failure.getMessage());
            }
        }
        return result;
    }

    /** Points that did not run again. */
    public int resumed() {
        return resumed.get();
    }
}
