package io.shardsim.scenarios.composition;

import io.shardsim.reports.ModelFlopsUtilization;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Figure;
import io.shardsim.scenarios.question.CollectiveSettings;
import io.shardsim.scenarios.question.ScenarioPoint;
import io.shardsim.scenarios.question.Task;
import io.shardsim.scenarios.reference.RecordedErrors;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.StepObservation;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Simulates points of scenarios, several at once if its engine has several threads. */
public final class PointSimulation implements ScenarioRunner {
    /** Share of a GPU's memory from which on published runs were sometimes slower than ours (DEVIATIONS.md, E). */
    private static final double EDGE_OF_MEMORY = 0.93;

    private final Simulator simulator;
    private final Runnable close;
    private final boolean severalAtOnce;
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
        this(
                options,
                (setup, observer) -> engine.run(setup, options.processes(), observer),
                options.threads() > 1,
                engine::close);
    }

    /** @param simulator executes in another way than by an engine of its own, one run after the other */
    public PointSimulation(RunOptions options, Simulator simulator) {
        this(options, simulator, false, () -> {});
    }

    private PointSimulation(RunOptions options, Simulator simulator, boolean severalAtOnce, Runnable close) {
        this.simulator = simulator;
        this.severalAtOnce = severalAtOnce;
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
        long bufferBytes = point.collectives().transports().bufferBytes(cluster);
        long capacityBytes = cluster.instance().gpu().memoryBytes() - bufferBytes;
        LargestMicroBatch.Found found = settle(strategy, task, cluster, capacityBytes);
        int shardGroup = strategy.shardGroups(found.job()).size();
        // Where the scenario asks one question alone; a sweep and the published cases have points of their own.
        boolean alone = observer == null && !beyondMemory && point.values().isEmpty();
        FutureTask<Advice.Trials> trials = new FutureTask<>(
                () -> alone ? trials(point, task, strategy, found, capacityBytes) : Advice.Trials.NONE);
        begin(trials, severalAtOnce && alone);
        try {
            Advice advice = new Advice(task, cluster, found, shardGroup, capacityBytes);
            RunFacts facts = facts(point, task, strategy, found, bufferBytes);
            if (!found.fits() && !(beyondMemory && task.microBatch() != null)) {
                return RunResult.outOfMemory(
                        facts.with(task.surroundings(), advice.sentences(result(trials))),
                        new NearestFit(task, cluster, found.job(), capacityBytes).words());
            }
            long beganNanos = System.nanoTime();
            StepPlan plan = found.plan().get();
            TransformerWorkTimes times = new TransformerWorkTimes(found.job(), cluster.instance());
            StepObservation observation = observe(cluster, plan, times, point.collectives(), observer);
            double wallSeconds = secondsSince(beganNanos);
            return RunResult.of(
                    facts.with(task.surroundings(), advice.sentences(result(trials))),
                    observation,
                    MemoryOverTime.of(plan, observation.timeline(), observation.endPs(), bufferBytes),
                    wallSeconds);
        } finally {
            trials.cancel(true);
        }
    }

    private static double secondsSince(long beganNanos) {
        return (System.nanoTime() - beganNanos) * 1e-9;
    }

    /** Runs a task beside what is to come, or at once. */
    private static void begin(FutureTask<?> task, boolean beside) throws InterruptedException {
        if (beside) {
            Thread thread = new Thread(task, "beside");
            thread.setDaemon(true);
            thread.start();
        } else {
            task.run();
            result(task);
        }
    }

    private static <T> T result(FutureTask<T> task) throws InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    /** Whether a training step fits in memory; nothing runs. */
    static boolean fits(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        Cluster cluster = point.cluster();
        long bufferBytes = point.collectives().transports().bufferBytes(cluster);
        return settle(
                        task.strategy().create(),
                        task,
                        cluster,
                        cluster.instance().gpu().memoryBytes() - bufferBytes)
                .fits();
    }

    private Advice.Trials trials(
            ScenarioPoint point,
            Task.Training task,
            ShardingStrategy strategy,
            LargestMicroBatch.Found found,
            long capacityBytes)
            throws InterruptedException {
        TrainingJob job = found.job();
        int shardGroup = strategy.shardGroups(job).size();
        boolean recomputes = job.checkpointing().startsFromInput() && !job.activationOffload();
        return new Advice.Trials(
                shardGroup > 1 ? neighbours(point, task, job, shardGroup, capacityBytes) : List.of(),
                recomputes && found.fits()
                        ? LargestMicroBatch.withFewestCheckpoints(strategy, found, capacityBytes)
                        : null);
    }

    /** Half and twice the shard group. */
    private List<Advice.Neighbour> neighbours(
            ScenarioPoint point, Task.Training task, TrainingJob job, int shardGroup, long capacityBytes)
            throws InterruptedException {
        List<Advice.Neighbour> neighbours = new ArrayList<>();
        Cluster cluster = point.cluster();
        for (int size : new int[] {shardGroup / 2, 2 * shardGroup}) {
            Task.Training other = size <= cluster.worldSize() ? Advice.withShardGroup(task, job, size) : null;
            if (other == null) {
                continue;
            }
            ShardingStrategy strategy = other.strategy().create();
            LargestMicroBatch.Found found = settle(strategy, other, cluster, capacityBytes);
            Double rate = null;
            if (found.fits()) {
                StepObservation observed = observe(
                        cluster,
                        found.plan().get(),
                        new TransformerWorkTimes(found.job(), cluster.instance()),
                        point.collectives(),
                        null);
                rate = task.globalBatch() / (observed.endPs() * 1e-12);
            }
            neighbours.add(new Advice.Neighbour(
                    size, found.job().microBatch(), found.ledger().peakBytes(), rate));
        }
        return neighbours;
    }

    /** The job with its micro-batch, given or found, and its memory. */
    private static LargestMicroBatch.Found settle(
            ShardingStrategy strategy, Task.Training task, Cluster cluster, long capacityBytes) {
        TrainingJob job = task.job(cluster, strategy);
        return task.microBatch() == null
                ? LargestMicroBatch.of(strategy, job, capacityBytes)
                : LargestMicroBatch.given(strategy, job, capacityBytes);
    }

    private static RunFacts facts(
            ScenarioPoint point,
            Task.Training task,
            ShardingStrategy strategy,
            LargestMicroBatch.Found found,
            long bufferBytes) {
        TrainingJob job = found.job();
        Map<MemoryOwner, Long> atPeak = new EnumMap<>(found.ledger().atPeak());
        atPeak.merge(MemoryOwner.RUNTIME, bufferBytes, Long::sum);
        List<String> notes = new ArrayList<>(point.notes());
        if (task.microBatch() == null && found.fits()) {
            notes.add(
                    "micro_batch " + job.microBatch() + " is the largest divisor of the "
                            + job.microBatch() * job.accumulationSteps()
                            + " samples of a GPU that fits with room for what the allocator reserves; set micro_batch to choose another");
        }
        notes.addAll(strategy.remarks(job));
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
                        task.microBatch() == null,
                        point.cluster()
                                .instance()
                                .gpu()
                                .peakFlopsPerSecond(job.precision().bytes())),
                new RunFacts.Memory(atPeak, point.cluster().instance().gpu().memoryBytes()),
                notes,
                warnings(point.cluster(), found, bufferBytes),
                sources(point));
        return RecordedErrors.builtIn().annotate(facts, point);
    }

    private static List<String> warnings(Cluster cluster, LargestMicroBatch.Found found, long bufferBytes) {
        List<String> warnings = new ArrayList<>(new TransformerWorkTimes(found.job(), cluster.instance()).remarks());
        double full = (double) (found.ledger().peakBytes() + bufferBytes)
                / cluster.instance().gpu().memoryBytes();
        if (found.fits() && full > EDGE_OF_MEMORY) {
            warnings.add(
                    "memory is " + Math.round(100 * full)
                            + " % full, with what the allocator reserves and cannot use: of published runs beyond "
                            + Math.round(100 * EDGE_OF_MEMORY)
                            + " % some were up to 24 % slower than simulated, since the allocator"
                            + " flushes and retries at that edge, which is not modelled; a smaller micro_batch stays clear of it");
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
