package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.ModelFlopsUtilization;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.accuracy.RecordedErrors;
import io.shardsim.scenarios.catalog.Figure;
import io.shardsim.scenarios.scenario.CollectiveSettings;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.run.RunObserver;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.simulator.run.TransformerWorkTimes;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Simulates points of scenarios, several at once if its engine has several threads. */
public final class PointSimulation implements ScenarioRunner {
    private final Simulator simulator;
    private final Runnable close;
    private final boolean skipRepetition;
    private final boolean beyondMemory;

    /** Executes what a point comes to. */
    @FunctionalInterface
    public interface Simulator {
        StepObservation run(SimulationSetup setup, @Nullable RunObserver observer) throws InterruptedException;
    }

    public PointSimulation(RunOptions options) {
        this(options, new SimulationEngine(options.threads()));
    }

    /** @param engine simulates, and is closed with this */
    PointSimulation(RunOptions options, SimulationEngine engine) {
        this(options, (setup, observer) -> engine.run(setup, options.processes(), observer), engine::close);
    }

    /** @param simulator executes in another way than by an engine of its own, one run after the other */
    public PointSimulation(RunOptions options, Simulator simulator) {
        this(options, simulator, () -> {});
    }

    private PointSimulation(RunOptions options, Simulator simulator, Runnable close) {
        this.simulator = simulator;
        this.close = close;
        skipRepetition = options.fastForward();
        beyondMemory = options.beyondMemory();
    }

    /**
     * @param threads points that are simulated at once
     * @param skipRepetition false to execute every event of every device, for comparison
     */
    public PointSimulation(int threads, boolean skipRepetition) {
        this(new RunOptions(threads, skipRepetition));
    }

    @Override
    public RunResult run(ScenarioPoint point) throws InterruptedException {
        return run(point, null);
    }

    /**
     * Runs one point to its end while somebody watches.
     *
     * @param observer hears all that happens; nothing when the point does not fit in memory
     */
    public RunResult run(ScenarioPoint point, @Nullable RunObserver observer) throws InterruptedException {
        return point.task() instanceof Task.Training training
                ? runTraining(point, training, observer)
                : runCollective(point, (Task.Collective) point.task(), observer);
    }

    private RunResult runTraining(ScenarioPoint point, Task.Training task, @Nullable RunObserver observer)
            throws InterruptedException {
        Cluster cluster = point.cluster();
        ShardingStrategy strategy = task.strategy().create();
        GpuMemory memory = memory(point);
        LargestMicroBatch.Found found = settle(strategy, task, cluster, memory);
        RunFacts facts = facts(point, task, strategy, found, memory).withSurroundings(task.surroundings());
        if (!found.fits() && !(beyondMemory && task.microBatch() != null)) {
            return RunResult.outOfMemory(facts, new NearestFit(task, cluster, found.job(), memory).words());
        }
        long beganNanos = System.nanoTime();
        StepPlan plan = found.plan().get();
        TransformerWorkTimes times = new TransformerWorkTimes(found.job(), cluster.instance());
        StepObservation observation = observe(cluster, plan, times, point.collectives(), observer);
        double wallSeconds = secondsSince(beganNanos);
        return RunResult.of(
                facts,
                observation,
                MemoryOverTime.of(plan, observation.timeline(), observation.endPs(), memory.bufferBytes()),
                wallSeconds);
    }

    private static double secondsSince(long beganNanos) {
        return (System.nanoTime() - beganNanos) * 1e-9;
    }

    /** Whether a point fits in memory, as a bare collective always does; nothing runs. */
    public static boolean fits(ScenarioPoint point) {
        return !(point.task() instanceof Task.Training) || settled(point).fits();
    }

    /** The micro-batch that a point runs with, given or found, and how it fits; nothing runs. */
    static LargestMicroBatch.Found settled(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        return settle(task.strategy().create(), task, point.cluster(), memory(point));
    }

    /** Memory of a GPU, and what buffers of the communication library take of it. */
    static GpuMemory memory(ScenarioPoint point) {
        Cluster cluster = point.cluster();
        return new GpuMemory(
                cluster.instance().gpu().memoryBytes(),
                point.collectives().transports().bufferBytes(cluster));
    }

    /** The job with its micro-batch, given or found, and its memory. */
    private static LargestMicroBatch.Found settle(
            ShardingStrategy strategy, Task.Training task, Cluster cluster, GpuMemory memory) {
        TrainingJob job = task.job(cluster, strategy);
        return task.microBatch() == null
                ? LargestMicroBatch.of(strategy, job, memory)
                : LargestMicroBatch.given(strategy, job, memory);
    }

    private static RunFacts facts(
            ScenarioPoint point,
            Task.Training task,
            ShardingStrategy strategy,
            LargestMicroBatch.Found found,
            GpuMemory memory) {
        TrainingJob job = found.job();
        Map<MemoryOwner, Long> atPeak = new EnumMap<>(found.ledger().atPeak());
        atPeak.merge(MemoryOwner.RUNTIME, memory.bufferBytes(), Long::sum);
        List<String> notes = new ArrayList<>(point.notes());
        if (task.microBatch() == null && found.fits()) {
            notes.add(chosen(found));
        }
        notes.addAll(new SettingRemarks(task, strategy, found, point.cluster()).sentences());
        RunFacts facts = RunFacts.ofTraining(
                point.scenario(),
                point.values(),
                point.cluster(),
                new RunFacts.Strategy(
                        task.strategy().kind(),
                        task.strategy().descriptor().title(),
                        strategy.shardGroups(job).size(),
                        split(strategy.modelParallel()),
                        job.kernels()),
                new RunFacts.Training(
                        task.modelName(),
                        job.model().parameters(),
                        ModelFlopsUtilization.attentionFlopsPerToken(
                                job.model().layers(), job.model().hidden(), task.sequenceLength()),
                        task.sequenceLength(),
                        task.globalBatch(),
                        job.microBatch(),
                        job.accumulationSteps(),
                        new RunFacts.Recomputation(job.recomputedProducts(), job.recomputedAttention()),
                        point.cluster()
                                .instance()
                                .gpu()
                                .peakFlopsPerSecond(job.precision().bytes())),
                new RunFacts.Memory(atPeak, found.fit().neededBytes(), memory.capacityBytes()),
                notes,
                warnings(point.cluster(), task, found),
                sources(point));
        return RecordedErrors.builtIn().annotate(facts, point);
    }

    private static String chosen(LargestMicroBatch.Found found) {
        return "micro_batch " + found.job().microBatch()
                + (found.fit().isRoomy()
                        ? ": the largest that fits with fragmentation. Set training.micro_batch to change it."
                        : ": the smallest that fits. None fits with fragmentation.");
    }

    private static List<String> warnings(Cluster cluster, Task.Training task, LargestMicroBatch.Found found) {
        List<String> warnings = new ArrayList<>(new TransformerWorkTimes(found.job(), cluster.instance()).remarks());
        // None is smaller than one that was chosen though it is tight.
        boolean mayLower = found.job().microBatch() > 1
                && (task.microBatch() != null || found.fit().isRoomy());
        String full = MemoryWords.warning(found.fit(), mayLower);
        if (full != null) {
            warnings.add(full);
        }
        return warnings;
    }

    private static RunFacts.Split split(ModelParallel parallel) {
        return new RunFacts.Split(
                parallel.tensor(),
                parallel.sequence(),
                parallel.context(),
                parallel.stages(),
                parallel.stages() > 1 && parallel.chunks() > 1);
    }

    private static List<RunFacts.Source> sources(ScenarioPoint point) {
        List<RunFacts.Source> sources = new ArrayList<>();
        for (Figure figure : point.figures()) {
            sources.add(new RunFacts.Source(figure.key(), figure.source(), figure.date()));
        }
        return sources;
    }

    private RunResult runCollective(ScenarioPoint point, Task.Collective task, @Nullable RunObserver observer)
            throws InterruptedException {
        Cluster cluster = point.cluster();
        RankGroups world = new RankGroups("world", cluster.worldSize(), cluster.worldSize(), 1);
        StepPlan.Builder plan = StepPlan.builder();
        plan.add(new Operation.Collective(
                Stream.GATHER,
                task.kind(),
                world,
                task.totalBytes(),
                point.collectives().algorithm(),
                task.kind().id()));
        TransportModel.Choice choice = point.collectives()
                .transports()
                .choose(task.kind(), point.collectives().algorithm(), task.totalBytes(), world.membersOf(0), cluster);
        RunFacts facts = RunFacts.ofCollective(
                point.scenario(),
                point.values(),
                cluster,
                new RunFacts.Collective(
                        task.kind(),
                        task.totalBytes(),
                        choice.algorithm().name() + ", " + choice.transport().name(),
                        point.collectives().library()),
                point.notes(),
                List.of(),
                sources(point));
        long beganNanos = System.nanoTime();
        StepObservation observation = observe(cluster, plan.build(), Work::amount, point.collectives(), observer);
        return RunResult.of(RecordedErrors.builtIn().annotate(facts, point), observation, secondsSince(beganNanos));
    }

    private StepObservation observe(
            Cluster cluster,
            StepPlan plan,
            WorkTimes times,
            CollectiveSettings settings,
            @Nullable RunObserver observer)
            throws InterruptedException {
        return simulator.run(
                new SimulationSetup(
                        cluster, plan, times, settings.transports(), Map.of(), skipRepetition, skipRepetition),
                observer);
    }

    @Override
    public void close() {
        close.run();
    }
}
