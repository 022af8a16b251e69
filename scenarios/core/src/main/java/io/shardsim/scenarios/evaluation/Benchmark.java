package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.run.Phold;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Named workloads that measure how fast this machine simulates. Scenarios are in {@code bench/<name>.yaml}. */
public enum Benchmark {
    /** The event kernel alone: 600 actors, 9,600 pending events. */
    PHOLD("phold", false),
    /** Every event of a flat ring on 256 ranks. */
    RING_256("ring-256", false),
    /** Every event of the hierarchical all-gather on 256 ranks. */
    HIERARCHICAL_256("hierarchical-256", false),
    /** Every event of a training step on 256 GPUs, on all threads. */
    STEP_256("step-256", false),
    STEP_30B_256("step-30b-256", true),
    SWEEP_30B("sweep-30b", true),
    ONE_TRILLION("one-trillion", true),
    ASTRA_STEP_256("astra-step-256", true),
    ASTRA_ALL_GATHER_1024("astra-all-gather-1024", true),
    ALL_GATHER_16384("all-gather-16384", true);

    private static final int PHOLD_ACTORS = 600;
    private static final int PHOLD_PENDING = 9_600;
    private static final long PHOLD_EVENTS = 5_000_000;

    private final String id;
    /** Whether proven repetitions are skipped, as in an ordinary run. */
    private final boolean skips;

    Benchmark(String id, boolean skips) {
        this.id = id;
        this.skips = skips;
    }

    public String id() {
        return id;
    }

    /**
     * Measurements of one workload.
     *
     * @param wallSeconds from request to result, including assembly, without JVM startup
     * @param cpuSeconds CPU time of the threads that execute events, without assembly, compilation and garbage collection
     * @param executedEvents events that were executed
     * @param simulatedEvents events that they represent
     * @param peakHeapBytes peak heap in use, garbage included
     */
    public record Measured(
            String workload,
            double wallSeconds,
            double cpuSeconds,
            long executedEvents,
            long simulatedEvents,
            long peakHeapBytes) {
        public double executedPerSecond() {
            return executedEvents / wallSeconds;
        }

        /** Returns events executed per core and second. */
        public double executedPerCpuSecond() {
            return executedEvents / cpuSeconds;
        }

        public double simulatedPerSecond() {
            return simulatedEvents / wallSeconds;
        }

        /** Returns the run with the median wall time. */
        public static Measured median(List<Measured> runs) {
            List<Measured> sorted = new ArrayList<>(runs);
            sorted.sort(Comparator.comparingDouble(Measured::wallSeconds));
            return sorted.get(sorted.size() / 2);
        }
    }

    /**
     * Runs the workload once.
     *
     * @param threads points of a sweep run concurrently, or parts of one point
     */
    public Measured measure(int threads) throws InterruptedException {
        return this == PHOLD ? measured(id, Benchmark::phold) : measured(id, () -> scenario(threads));
    }

    /** Executed events, simulated events, CPU time [ns]. */
    private record Spent(long executedEvents, long simulatedEvents, long cpuNanos) {}

    private interface Workload {
        Spent run() throws InterruptedException;
    }

    static Measured measurePoint(ScenarioPoint point, String name) throws InterruptedException {
        return measured(name, () -> {
            SimulationEngine engine = new SimulationEngine(1);
            try (PointSimulation simulation = new PointSimulation(new RunOptions(1, false), engine)) {
                RunResult result = simulation.run(point);
                return new Spent(
                        result.effort().executedEvents(), result.effort().simulatedEvents(), engine.cpuNanos());
            }
        });
    }

    private static Measured measured(String name, Workload workload) throws InterruptedException {
        List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
        pools.forEach(MemoryPoolMXBean::resetPeakUsage);
        long beganNanos = System.nanoTime();
        Spent spent = workload.run();
        double wallSeconds = (System.nanoTime() - beganNanos) * 1e-9;
        long peakBytes = 0;
        for (MemoryPoolMXBean pool : pools) {
            if (pool.getType() == MemoryType.HEAP) {
                peakBytes += pool.getPeakUsage().getUsed();
            }
        }
        return new Measured(
                name, wallSeconds, spent.cpuNanos() * 1e-9, spent.executedEvents(), spent.simulatedEvents(), peakBytes);
    }

    private static Spent phold() throws InterruptedException {
        try (SimulationEngine engine = new SimulationEngine(1)) {
            LogicalProcess.Outcome outcome = Phold.run(engine, PHOLD_ACTORS, PHOLD_PENDING, PHOLD_EVENTS);
            return new Spent(outcome.executedEvents(), outcome.executedEvents(), outcome.cpuNanos());
        }
    }

    private Spent scenario(int threads) throws InterruptedException {
        Scenario scenario = read(id);
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        RunOptions options =
                new RunOptions(threads, skips).sharedBy(scenario.points().size());
        SimulationEngine engine = new SimulationEngine(options.threads());
        try (PointSimulation simulation = new PointSimulation(options, engine)) {
            List<Future<RunResult>> results = new ArrayList<>();
            for (ScenarioPoint point : ScenarioPoint.largestFirst(scenario.points())) {
                results.add(workers.submit(() -> simulation.run(point)));
            }
            long executed = 0;
            long simulated = 0;
            for (Future<RunResult> result : results) {
                executed += result.get().effort().executedEvents();
                simulated += result.get().effort().simulatedEvents();
            }
            return new Spent(executed, simulated, engine.cpuNanos());
        } catch (ExecutionException failure) {
            throw new IllegalStateException(id + ": " + failure.getCause(), failure);
        } finally {
            workers.shutdownNow();
        }
    }

    /** Reads {@code bench/<name>.yaml}. */
    static Scenario read(String name) {
        String file = "bench/" + name + ".yaml";
        try (InputStream in = Benchmark.class.getClassLoader().getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing");
            }
            return ScenarioReader.readText(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(file, failure);
        } catch (InputException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }
}
