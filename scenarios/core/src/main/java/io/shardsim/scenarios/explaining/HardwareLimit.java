package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.topology.InstanceSpec;
import org.jspecify.annotations.Nullable;

/**
 * Checks measurements against hardware limits: FLOPs beyond the GPUs' peak, or bytes beyond the links' line rate. Both counts are lower bounds: a
 * causal mask halves attention, and a switch may reduce in the network.
 */
public final class HardwareLimit {
    private static final double TERA = 1e12;

    private HardwareLimit() {}

    /** Returns why a measured speed is impossible, in words; null if it is possible. */
    static @Nullable String beyond(Measured measured, RunResult healthy, ScenarioPoint point) {
        if (!healthy.fits() || measured.unit().isMemory()) {
            return null;
        }
        double times = measured.timesAsFast(healthy, healthy);
        if (point.task() instanceof Task.Collective bare) {
            return beyond(
                    bare.kind(),
                    Measured.Unit.BUS_BANDWIDTH.of(healthy) / times * 1e9,
                    point.cluster().instance(),
                    point.cluster().nodes(),
                    healthy.gpus());
        }
        double peak = healthy.facts().model().peak().flopsPerSecond() / TERA;
        double least = leastTeraflops(healthy) / times;
        return least <= peak
                ? null
                : measured.words(measured.value()) + " takes at least " + Quantities.threeDigits(least)
                        + " TFLOPS per GPU, the peak of "
                        + point.cluster().instance().gpu().name() + " is " + Quantities.threeDigits(peak) + "; "
                        + remedy(measured, healthy, least / peak);
    }

    /** Returns the FLOPs per second needed for the simulated speed if attention skips everything that a causal mask hides [10^12 flop/s]. */
    private static double leastTeraflops(RunResult run) {
        double hidden =
                run.facts().model().attentionFlopsPerToken() / 2 * run.step().tokensPerSecondPerGpu() / TERA;
        return run.step().flops().modelTeraflopsPerGpu() - hidden;
    }

    private static String remedy(Measured measured, RunResult healthy, double times) {
        return measured.unit() == Measured.Unit.TOKENS_PER_GPU && times <= healthy.gpus()
                ? "if it is the total of all " + healthy.gpus() + " GPUs, write '"
                        + new Measured(measured.value(), Measured.Unit.TOKENS, measured.at()).words(measured.value())
                        + "'"
                : "check the number and its unit, and the model and batch of the scenario";
    }

    /**
     * Returns why a bus bandwidth is impossible, in words; null if it is possible. All data that a node or a GPU contributes crosses its links at
     * least once.
     *
     * @param busBytesPerSecond bus bandwidth as in nccl-tests
     */
    public static @Nullable String beyond(
            CollectiveKind kind, double busBytesPerSecond, InstanceSpec instance, int nodes, int ranks) {
        int joined = instance.fabric().nodesPerDomain();
        boolean within = nodes <= joined;
        double rate = within
                ? instance.intraNode().lineRate().bytesPerSecond()
                : (double) joined
                        * instance.nicsPerNode()
                        * instance.nic().lineRate().bytesPerSecond();
        int members = within ? ranks : (nodes + joined - 1) / joined;
        boolean shares = kind.busFactor(ranks) < 1;
        double most = rate * kind.busFactor(ranks) * (shares ? members / (members - 1.0) : 1);
        return busBytesPerSecond <= most
                ? null
                : gigabytes(busBytesPerSecond) + " GB/s busbw of " + kind.id() + " is more than the "
                        + gigabytes(most) + " that "
                        + (within
                                ? "the links of a GPU"
                                : joined > 1 ? "the NICs of an NVLink domain" : "the NICs of a node")
                        + " in " + instance.name() + " carry at their line rate of " + gigabytes(rate)
                        + " GB/s; check the number, its unit and the instance";
    }

    private static String gigabytes(double bytes) {
        return Quantities.threeDigits(bytes / 1e9);
    }
}
