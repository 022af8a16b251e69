package io.shardsim.simulator.run;

import io.shardsim.simulator.kernel.LogicalProcess;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** An event from {@code tell} to the end of its handler: PHOLD with one ball a player, from where everything is in the cache to where nothing is. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class DispatchBenchmark {
    private static final int EVENTS = 1_000_000;

    @Param({"1", "64", "600"})
    int actors;

    private SimulationEngine engine;

    @Setup
    public void start() {
        engine = new SimulationEngine(1);
    }

    @TearDown
    public void stop() {
        engine.close();
    }

    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public LogicalProcess.Outcome event() throws InterruptedException {
        return Phold.run(engine, actors, actors, EVENTS);
    }
}
