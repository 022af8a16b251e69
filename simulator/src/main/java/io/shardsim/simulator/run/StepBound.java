package io.shardsim.simulator.run;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import java.util.stream.IntStream;

/**
 * A time that no run of a plan can beat, without running it.
 *
 * <p>It is the longest of three: the longest chain through the plan, the time in which a node's NICs send all that must leave it, and the time in which a PCIe link carries
 * all copies of its GPUs to the host, or back. In the chain a kernel takes its time
 * on a GPU that does nothing else, a collective the library's launch and its bytes at line rate, and operations keep the order of their streams, wait for
 * what the plan names, and meet where ranks of two pipeline stages exchange something.
 *
 * <p>Why no run beats it: the simulator gives each of these at least that long. Kernels are only slowed down by collectives, links only shared, and bytes
 * that a rank lacks must reach it by its node's links. Left out is all that makes a run slower: latencies, contention, slow-down, and channels.
 */
public final class StepBound {
    private static final int STREAMS = Stream.values().length;
    private final Cluster cluster;
    private final StepPlan plan;
    private final LeastTimes least;
    /** For each stage, when the last operation of each stream ends at the earliest [ps]. */
    private final long[][] streamEndPs;
    /** For each stage, when each operation ends at the earliest [ps]. */
    private final long[][] endPs;
    /** For each stage, bytes that leave a node. */
    private final double[] outboundBytes;
    /** For each stage, bytes that a rank copies to the host, and back. */
    private final double[] storedBytes;

    private final double[] loadedBytes;

    private StepBound(SimulationSetup setup) {
        cluster = setup.cluster();
        plan = setup.plan();
        least = new LeastTimes(setup);
        streamEndPs = new long[plan.stages()][STREAMS];
        endPs = new long[plan.stages()][plan.size()];
        outboundBytes = new double[plan.stages()];
        storedBytes = new double[plan.stages()];
        loadedBytes = new double[plan.stages()];
    }

    /** The time that no run of the setup's plan can beat [ps]. */
    public static long ps(SimulationSetup setup) {
        return new StepBound(setup).ps();
    }

    private long ps() {
        for (int operation = 0; operation < plan.size(); operation++) {
            add(operation);
        }
        long longestPs = 0;
        for (int stage = 0; stage < plan.stages(); stage++) {
            for (long end : streamEndPs[stage]) {
                longestPs = Math.max(longestPs, end);
            }
            longestPs = Math.max(longestPs, LeastTimes.ps(outboundBytes[stage], least.nodeRate()));
            longestPs = Math.max(
                    longestPs,
                    copiesPs(cluster, plan.stages(), stage, Math.max(storedBytes[stage], loadedBytes[stage])));
        }
        return longestPs;
    }

    private void add(int operation) {
        long startPs = 0;
        boolean meets = least.of(plan.operation(operation)).joinsStages();
        for (int stage = 0; stage < plan.stages() && meets; stage++) {
            startPs = Math.max(startPs, plan.runsOn(operation, stage) ? readyPs(operation, stage) : 0);
        }
        for (int stage = 0; stage < plan.stages(); stage++) {
            if (plan.runsOn(operation, stage)) {
                long fromPs = meets ? startPs : readyPs(operation, stage);
                endPs[stage][operation] = fromPs + durationPs(plan.operation(operation), stage);
                streamEndPs[stage][plan.operation(operation).stream().ordinal()] = endPs[stage][operation];
            }
        }
    }

    private long readyPs(int operation, int stage) {
        long readyPs = streamEndPs[stage][plan.operation(operation).stream().ordinal()];
        for (int wait : plan.waitsFor(operation)) {
            readyPs = Math.max(readyPs, endPs[stage][wait]);
        }
        return readyPs;
    }

    private long durationPs(Operation operation, int stage) {
        LeastTimes.Carried carried = least.of(operation);
        outboundBytes[stage] += carried.outboundBytes();
        if (operation instanceof Operation.Compute compute) {
            Work work = compute.work();
            storedBytes[stage] += work.kind() == Work.Kind.HOST_STORE ? work.amount() : 0;
            loadedBytes[stage] += work.kind() == Work.Kind.HOST_LOAD ? work.amount() : 0;
        }
        return carried.ps();
    }

    /** Time in which the PCIe link of a stage's first rank carries what each rank that shares it copies one way. */
    static long copiesPs(Cluster cluster, int stages, int stage, double bytes) {
        return LeastTimes.ps(
                bytes * ranksOnSwitch(cluster, stages, stage),
                cluster.instance().pcie().linkRate());
    }

    private static long ranksOnSwitch(Cluster cluster, int stages, int stage) {
        int stageRanks = cluster.worldSize() / stages;
        int first = cluster.localRank(stage * stageRanks);
        int end = Math.min(first + stageRanks, cluster.gpusPerNode());
        return IntStream.range(first, end)
                .filter(local -> cluster.pcieSwitchOfGpu(local) == cluster.pcieSwitchOfGpu(first))
                .count();
    }
}
