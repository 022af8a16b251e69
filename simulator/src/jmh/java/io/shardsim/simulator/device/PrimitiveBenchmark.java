package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a GPU computes for one slice: its input is there, its block is charged for, its port is booked. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class PrimitiveBenchmark {
    private static final Bandwidth RATE = new Bandwidth(20_000_000_000L);
    private static final long BYTES = 1 << 19;

    private final OutputPort port = new OutputPort(new Link(LinkClass.NVLINK, RATE, 0, 1_000));
    private final RankCollective collective = collective();
    private CollectiveRun run;
    private long nowPs;

    private static RankCollective collective() {
        ChannelProgram.Primitive receiveCopySend =
                ChannelProgram.Primitive.of(Integer.MAX_VALUE, 0, 0, 2, BYTES, false);
        ChannelProgram program = new ChannelProgram(
                new int[] {7}, new int[] {1}, new int[] {0}, new int[] {0}, List.of(receiveCopySend));
        Pace[][] paces = {{new Pace(0, RATE, 1)}};
        ProgramLoops[] loops = {ProgramLoops.of(program.primitives())};
        return new RankCollective(
                null, new ChannelProgram[] {program}, loops, new Path[1][1], paces, paces, RATE, RATE);
    }

    @Setup
    public void begin() {
        run = new CollectiveRun(0, 0, collective);
    }

    @Benchmark
    public long slice() {
        run.onSliceArrived(0, 0);
        ChannelProgram.Primitive current = run.current(0);
        long bytes = run.sliceBytes(0, current);
        long freePs = Math.max(nowPs, run.blockFreePs(0)) + RATE.serializationPs(bytes);
        long held = collective.heldPs(0, current, bytes) + collective.memoryPs(current, bytes);
        nowPs = port.book(nowPs, freePs, bytes);
        run.completeSlice(0, current, freePs);
        return held;
    }
}
