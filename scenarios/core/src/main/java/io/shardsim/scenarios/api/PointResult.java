package io.shardsim.scenarios.api;

import io.shardsim.reports.RunResult;
import io.shardsim.simulator.plan.MemoryFit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of one point of a scenario.
 *
 * @param values the point's swept values, by key; empty without a sweep
 * @param gpus number of GPUs in the cluster
 * @param training training metrics; absent if the run does not fit in memory, and for a bare collective
 * @param collective metrics of a bare collective; absent for training
 * @param memory memory of one GPU; absent for a bare collective
 * @param warnings caveats to read before trusting the figures
 * @param digest hash over all totals and times, equal on every machine; absent if nothing ran
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
     * Metrics of a training step.
     *
     * @param strategy display name, for example {@code MiCS, shard group 16}
     * @param microBatch samples per GPU and micro-batch, set or chosen
     * @param stepSeconds time of one optimizer step [s]
     * @param modelFlopsUtilization MFU: the model's FLOPs as a share of the GPUs' peak, 0 to 1
     */
    public record Training(
            String strategy,
            int microBatch,
            double stepSeconds,
            double samplesPerSecond,
            double tokensPerSecondPerGpu,
            double modelFlopsUtilization) {}

    /**
     * Metrics of a bare collective.
     *
     * @param seconds time from first to last byte [s]
     * @param busBytesPerSecond bus bandwidth as in nccl-tests [bytes/s]
     */
    public record Collective(double seconds, double busBytesPerSecond) {}

    /**
     * Memory of the fullest GPU.
     *
     * @param neededBytes peak of allocated memory [bytes]
     * @param reservedBytes peak of allocated memory plus fragmentation [bytes]
     * @param capacityBytes memory of the GPU [bytes]
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
