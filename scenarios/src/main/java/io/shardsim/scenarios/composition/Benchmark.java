package io.shardsim.scenarios.composition;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.question.Scenario;
import io.shardsim.scenarios.question.ScenarioPoint;
import io.shardsim.scenarios.question.ScenarioReader;
import io.shardsim.scenarios.yaml.InputException;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.run.Phold;
import io.shardsim.simulator.run.SimulationEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Named workloads that tell how fast this machine simulates. Scenarios among them are files {@code bench/<name>.yaml}. */
public enum Benchmark {
    /** The kernel alone: 600 actors, 9,600 pending events. */
    PHOLD("phold", false),
    /** Every event of a flat ring over 256 ranks. */
    RING_256("ring-256", false),
    /** Every event of the hierarchical gather over 256 ranks. */
    HIERARCHICAL_256("hierarchical-256", false),
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
    private final boolean skips;

    Benchmark(String id, boolean skips) {
        this.id = id;
        this.skips = skips;
    }

    public String id() {
        return id;
    }

    /** True when what is proven to repeat is skipped, as in an ordinary run. */
    public boolean skips() {
        return skips;
    }

    /**
     * How one workload went.
     *
     * @param wallSeconds from the question to the result, assembly included, start of the JVM not
     * @param executedEvents events that were executed
     * @param simulatedEvents events that they stand for
     * @param peakHeapBytes most heap in use, garbage included
     */
    public record Measured(
            Benchmark workload, double wallSeconds, long executedEvents, long simulatedEvents, long peakHeapBytes) {
        public double executedPerSecond() {
            return executedEvents / wallSeconds;
        }

        public double simulatedPerSecond() {
            return simulatedEvents / wallSeconds;
        }
    }

    /**
     * Runs the workload once.
     *
     * @param threads points of a sweep that run at once
     */
    public Measured measure(int threads) throws InterruptedException {
        List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
        pools.forEach(MemoryPoolMXBean::resetPeakUsage);
        long beganNanos = System.nanoTime();
        long[] events = this == PHOLD ? phold() : scenario(threads);
        double wallSeconds = (System.nanoTime() - beganNanos) * 1e-9;
        long peakBytes = 0;
        for (MemoryPoolMXBean pool : pools) {
            if (pool.getType() == java.lang.management.MemoryType.HEAP) {
                peakBytes += pool.getPeakUsage().getUsed();
            }
        }
        return new Measured(this, wallSeconds, events[0], events[1], peakBytes);
    }

    private static long[] phold() throws InterruptedException {
        try (SimulationEngine engine = new SimulationEngine(1)) {
            LogicalProcess.Outcome outcome = Phold.run(engine, PHOLD_ACTORS, PHOLD_PENDING, PHOLD_EVENTS);
            return new long[] {outcome.executedEvents(), outcome.executedEvents()};
        }
    }

    private long[] scenario(int threads) throws InterruptedException {
        Scenario scenario = read();
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        try (PointSimulation simulation = new PointSimulation(threads, skips)) {
            List<ScenarioPoint> largestFirst = new ArrayList<>(scenario.points());
            largestFirst.sort((a, b) ->
                    Integer.compare(b.cluster().worldSize(), a.cluster().worldSize()));
            List<Future<RunResult>> results = new ArrayList<>();
            for (ScenarioPoint point : largestFirst) {
                results.add(workers.submit(() -> simulation.run(point)));
            }
            long[] events = new long[2];
            for (Future<RunResult> result : results) {
                events[0] += result.get().executedEvents();
                events[1] += result.get().simulatedEvents();
            }
            return events;
        } catch (ExecutionException failure) {
            throw new IllegalStateException(id + ": " + failure.getCause(), failure);
        } finally {
            workers.shutdownNow();
        }
    }

    private Scenario read() {
        String file = "bench/" + id + ".yaml";
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
