package io.shardsim.simulator.run;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import java.util.stream.IntStream;

/**
 * Lower bound on the time of a plan, computed without running it.
 *
 * <p>It is the maximum of three: the longest chain through the plan, the time for a node's NICs to send all outbound bytes, and the time for a PCIe
 * link to carry all copies of its GPUs to the host, or back. In the chain a kernel takes its time on an otherwise idle GPU, and a collective the
 * library's launch plus its bytes at line rate. Operations respect stream order and the plan's waits, and synchronize when ranks of two pipeline
 * stages communicate.
 *
 * <p>Why no run beats it: each of these takes at least that long in the simulator. Collectives only slow kernels down, links are only shared, and
 * bytes that a rank lacks must reach it through its node's links. Leaves out everything that makes a run slower: latencies, contention, slowdown, and
 * channels.
 */
public final class StepBound {
    private static final int STREAMS = Stream.values().length;
    private final Cluster cluster;
    private final StepPlan plan;
    private final LeastTimes least;
    /** Earliest end of the last operation, by stage and stream [ps]. */
    private final long[][] streamEndPs;
    /** Earliest end, by stage and operation [ps]. */
    private final long[][] endPs;
    /** Bytes that leave a node, by stage. */
    private final double[] outboundBytes;
    /** Bytes that a rank copies to the host, and back, by stage. */
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

    /** Returns the lower bound for the setup's plan [ps]. */
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

    /** Returns the time for the PCIe link of a stage's first rank to carry the one-way copies of all ranks that share it. */
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
