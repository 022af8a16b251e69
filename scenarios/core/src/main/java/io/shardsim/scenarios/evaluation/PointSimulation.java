package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.BlastRadius;
import io.shardsim.reports.MeanStep;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.accuracy.RecordedErrors;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.RunLimits;
import io.shardsim.simulator.run.RunObserver;
import io.shardsim.simulator.run.RunProgress;
import io.shardsim.simulator.run.Shortcut;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.topology.Faults;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Simulates scenario points, several concurrently if its engine has several threads. */
public final class PointSimulation implements ScenarioRunner {
    private final Simulator simulator;
    private final Supplier<List<RunProgress>> underWay;
    private final Runnable close;
    private final Set<Shortcut> shortcuts;
    private final boolean beyondMemory;
    /** Whether the user asked for this run alone, not for a comparison. */
    private final boolean alone;

    /** Executes the simulation of a point. */
    @FunctionalInterface
    public interface Simulator {
        /** @param limits limits beyond which the run may be given up */
        StepObservation run(SimulationSetup setup, @Nullable RunObserver observer, RunLimits limits)
                throws InterruptedException;
    }

    public PointSimulation(RunOptions options) {
        this(options, new SimulationEngine(options.threads()));
    }

    /** @param engine engine that simulates; closed with this */
    PointSimulation(RunOptions options, SimulationEngine engine) {
        this(
                options,
                (setup, observer, limits) ->
                        engine.run(setup, options.processes(), observer, limits.within(options.eventsMax())),
                engine::underWay,
                engine::close);
    }

    /** @param simulator simulator used instead of an own engine, one run after another */
    public PointSimulation(RunOptions options, Simulator simulator) {
        this(options, simulator, List::of, () -> {});
    }

    private PointSimulation(
            RunOptions options, Simulator simulator, Supplier<List<RunProgress>> underWay, Runnable close) {
        this.simulator = simulator;
        this.underWay = underWay;
        this.close = close;
        shortcuts = Shortcut.allIf(options.fastForward());
        alone = options.eventsMax() == Long.MAX_VALUE;
        beyondMemory = options.tooLarge() == RunOptions.TooLarge.SIMULATED;
    }

    /**
     * @param threads number of concurrent simulations
     * @param skipRepetition false to execute every event of every device, for comparison
     */
    public PointSimulation(int threads, boolean skipRepetition) {
        this(new RunOptions(threads, skipRepetition));
    }

    @Override
    public RunResult run(ScenarioPoint point) throws InterruptedException {
        return run(point, null, RunLimits.NONE);
    }

    @Override
    public RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
        return run(point, null, limits);
    }

    /**
     * Runs one point to its end with an observer.
     *
     * @param observer receives all events; none if the point does not fit in memory
     * @throws TooLargeException when it is too large to simulate
     */
    public RunResult run(ScenarioPoint point, @Nullable RunObserver observer) throws InterruptedException {
        return run(point, observer, RunLimits.NONE);
    }

    private RunResult run(ScenarioPoint point, @Nullable RunObserver observer, RunLimits limits)
            throws InterruptedException {
        try {
            return point.task() instanceof Task.Training
                    ? runTraining(TrainingPoint.of(point), observer, limits)
                    : runCollective(CollectivePoint.of(point), observer);
        } catch (ArithmeticException failure) {
            throw TooLargeException.of(failure);
        }
    }

    private RunResult runTraining(TrainingPoint training, @Nullable RunObserver observer, RunLimits limits)
            throws InterruptedException {
        RunFacts facts = RecordedErrors.builtIn().annotate(new TrainingFacts(training).facts(), training.point());
        if (!training.fits() && !(beyondMemory && training.task().microBatch() != null)) {
            return RunResult.outOfMemory(facts, new NearestFit(training).words());
        }
        long beganNanos = System.nanoTime();
        Faults faults = training.point().cluster().faults();
        Faults steadily = faults.withNetwork(faults.network().withoutOutages());
        // The average step is no shorter than the step without outages, which alone can exceed the time limit.
        StepObservation steady = faults.equals(steadily) ? null : run(training, steadily, limits);
        SimulationSetup setup = training.setup(shortcuts(observer));
        StepObservation observation =
                simulator.run(setup, observer, steady == null ? limits : RunLimits.NONE.within(limits.eventsMax()));
        double wallSeconds = secondsSince(beganNanos);
        RunResult result = RunResult.of(
                steady == null
                        ? facts
                        : facts.withTried(facts.tried()
                                .with(new MeanStep(
                                        faults.network().outages().everyPs(), observation.endPs(), steady.endPs()))),
                observation,
                MemoryOverTime.of(
                        setup.plan(),
                        observation.timeline(),
                        observation.endPs(),
                        training.memory().bufferBytes()),
                wallSeconds);
        if (faults.equals(Faults.NONE) || !alone || observer != null || limits != RunLimits.NONE) {
            return result;
        }
        return result.withRadius(BlastRadius.of(
                observation,
                steady != null && steadily.equals(Faults.NONE) ? steady : run(training, Faults.NONE, RunLimits.NONE)));
    }

    /** Runs the step with other faults. */
    private StepObservation run(TrainingPoint training, Faults faults, RunLimits limits) throws InterruptedException {
        return simulator.run(TrainingPoint.of(training.point().with(faults)).setup(shortcuts(null)), null, limits);
    }

    private RunResult runCollective(CollectivePoint collective, @Nullable RunObserver observer)
            throws InterruptedException {
        RunFacts facts = RecordedErrors.builtIn().annotate(collective.facts(), collective.point());
        long beganNanos = System.nanoTime();
        StepObservation observation = simulator.run(collective.setup(shortcuts(observer)), observer, RunLimits.NONE);
        RunResult result = RunResult.of(facts, observation, secondsSince(beganNanos));
        if (collective.point().cluster().faults().equals(Faults.NONE) || !alone || observer != null) {
            return result;
        }
        SimulationSetup healthy =
                CollectivePoint.of(collective.point().with(Faults.NONE)).setup(shortcuts);
        long healthyPs = simulator.run(healthy, null, RunLimits.NONE).endPs();
        return result.withRadius(new BlastRadius(observation.endPs() - healthyPs, List.of()));
    }

    /** Returns allowed shortcuts; an observer needs every event of the simulated nodes. */
    private Set<Shortcut> shortcuts(@Nullable RunObserver observer) {
        if (observer == null || observer.causality() == null) {
            return shortcuts;
        }
        Set<Shortcut> kept = EnumSet.copyOf(Shortcut.allIf(true));
        kept.remove(Shortcut.FAST_FORWARD);
        kept.retainAll(shortcuts);
        return kept;
    }

    private static double secondsSince(long beganNanos) {
        return (System.nanoTime() - beganNanos) * 1e-9;
    }

    /** Returns whether a point fits in memory, as a bare collective always does; runs nothing. */
    public static boolean fits(ScenarioPoint point) {
        return !(point.task() instanceof Task.Training)
                || TrainingPoint.of(point).fits();
    }

    /** Describes the run with the most work left. */
    @Override
    public String standing() {
        return underWay.get().stream()
                .max(Comparator.comparingLong(run -> run.eventsMax() - run.events()))
                .map(RunStanding::words)
                .orElse("");
    }

    @Override
    public void close() {
        close.run();
    }
}
