package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.HardwareKeys;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.topology.InstanceSpec;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure of an instance that measurements can determine.
 *
 * @param key key of an instance file
 * @param words description
 * @param unit unit of the value; empty for a ratio
 * @param base the catalog's value, in that unit
 * @param max maximum, in that unit
 * @param error relative error of the catalog's value [1]
 * @param toTell what to measure if nothing determines it
 */
record Parameter(
        String key,
        String words,
        String unit,
        ToDoubleFunction<InstanceSpec> base,
        ToDoubleFunction<InstanceSpec> max,
        double error,
        String toTell) {
    private static final double GIGA = 1e9;
    private static final double STEPS_MAX = 100;
    /** Assumed error of the catalog's rates; with them, sizes above 64 MiB in public logs have a median error of 6 % [1]. */
    private static final double RATE_ERROR = 0.1;
    /** Assumed error of the catalog's latencies [1]. */
    private static final double STEPS_ERROR = 0.3;

    /** Parameters that collectives between nodes determine. */
    static final List<Parameter> BETWEEN_NODES = List.of(
            new Parameter(
                    "nic_effective",
                    "rate that each NIC sustains",
                    "GB/s",
                    instance -> instance.nic().effectiveRate().bytesPerSecond() / GIGA,
                    instance -> instance.nic().lineRate().bytesPerSecond() / GIGA,
                    RATE_ERROR,
                    "all_gather_perf -b 64M -e 2G -f 2 on 2 nodes or more measures the NIC rate"),
            new Parameter(
                    HardwareKeys.NCCL_STEPS,
                    "latency between nodes, relative to the known latency",
                    "",
                    instance -> instance.network().steps(),
                    instance -> STEPS_MAX,
                    STEPS_ERROR,
                    "all_reduce_perf -b 8 -e 16M -f 2 on 2 nodes or more measures the latency between nodes"),
            new Parameter(
                    HardwareKeys.NCCL_BASE,
                    "time before a collective's first step between nodes, relative to the known time",
                    "",
                    instance -> instance.network().base(),
                    instance -> STEPS_MAX,
                    STEPS_ERROR,
                    "all_reduce_perf -b 8 -e 16M -f 2 on 2 and 4 nodes tells this time from the latency of steps"));

    /** Parameters that collectives within a node determine. */
    static final List<Parameter> IN_NODE = List.of(new Parameter(
            "intra_node_effective",
            "rate that the GPU links of a node sustain",
            "GB/s",
            instance -> instance.intraNode().perGpuRate().bytesPerSecond() / GIGA,
            instance -> instance.intraNode().lineRate().bytesPerSecond() / GIGA,
            RATE_ERROR,
            "all_gather_perf -b 64M -e 2G -f 2 -g 8 on one node measures the rate of these links"));

    /** Parameters that GEMMs determine. */
    static final List<Parameter> KERNELS = List.of(new Parameter(
            HardwareKeys.GEMM_RATE.name(),
            "GEMM rate, relative to the known rate",
            "",
            instance -> instance.gpu().peakHalfFlopsPerSecond()
                    / Catalog.ofDataSheet(instance.gpu()).peakHalfFlopsPerSecond(),
            instance -> 1 / GpuCalibration.of(instance.gpu()).matmul().rate(),
            RATE_ERROR,
            "A table of GEMMs with every dimension 2,048 or more measures it; shardsim calibrate --kit prints "
                    + "the script"));

    /** Formats a value for instance files. */
    String written(double value) {
        return (Quantities.number(value, 4) + " " + unit).trim();
    }

    /** Converts a value to its form in a resolved scenario. */
    Object resolved(double value) {
        return unit.isEmpty() ? (Object) value : (Object) Math.max(1L, StrictMath.round(value * GIGA));
    }
}
