package io.shardsim.scenarios.api;

import io.shardsim.reports.RunResult;
import io.shardsim.simulator.plan.MemoryFit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one point of a scenario came to.
 *
 * @param values what the sweep set at this point, by key; empty without a sweep
 * @param gpus of the cluster
 * @param training figures of a training step; absent where it does not fit in memory, and for a bare collective
 * @param collective figures of a bare collective; absent for training
 * @param memory of one GPU; absent for a bare collective
 * @param warnings what to know before trusting the figures
 * @param digest a hash over all totals and times, equal wherever the point is run; absent where nothing ran
 */
public record PointResult(
        Map<String, ?> values,
        int gpus,
        @Nullable Training training,
        @Nullable Collective collective,
        @Nullable Memory memory,
        List<String> warnings,
        @Nullable String digest) {

    /**
     * Figures of a training step.
     *
     * @param strategy as people write it, for example {@code MiCS, shard group 16}
     * @param microBatch samples that a GPU takes at once, given or found
     * @param stepSeconds one optimizer update [s]
     * @param modelFlopsUtilization share of the GPUs' peak that the model's own operations make up, 0 to 1
     */
    public record Training(
            String strategy,
            int microBatch,
            double stepSeconds,
            double samplesPerSecond,
            double tokensPerSecondPerGpu,
            double modelFlopsUtilization) {}

    /**
     * Figures of a bare collective.
     *
     * @param seconds from its first to its last byte [s]
     * @param busBytesPerSecond bus bandwidth as nccl-tests counts it [bytes/s]
     */
    public record Collective(double seconds, double busBytesPerSecond) {}

    /**
     * Memory of the fullest GPU.
     *
     * @param neededBytes largest sum of what is allocated at once [bytes]
     * @param reservedBytes the same with what the allocator cannot use [bytes]
     * @param capacityBytes of the GPU [bytes]
     */
    public record Memory(long neededBytes, long reservedBytes, long capacityBytes) {
        public boolean fits() {
            return new MemoryFit(neededBytes, reservedBytes, capacityBytes).fits();
        }
    }

    static PointResult of(RunResult run) {
        return new PointResult(
                run.facts().point(),
                run.gpus(),
                run.training() == null ? null : training(run),
                run.collective() == null
                        ? null
                        : new Collective(
                                run.collective().seconds(), run.collective().busBytesPerSecond()),
                run.facts().memory() == null ? null : memory(run),
                run.facts().warnings(),
                run.digest());
    }

    private static Training training(RunResult run) {
        RunResult.Training step = run.step();
        return new Training(
                run.label(),
                run.facts().model().microBatch(),
                step.stepSeconds(),
                step.samplesPerSecond(),
                step.tokensPerSecondPerGpu(),
                step.flops().mfu());
    }

    private static Memory memory(RunResult run) {
        MemoryFit fit = run.facts().ledger().fit();
        return new Memory(fit.neededBytes(), fit.reservedBytes(), fit.capacityBytes());
    }
}
