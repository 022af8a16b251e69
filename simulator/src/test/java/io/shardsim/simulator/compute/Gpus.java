package io.shardsim.simulator.compute;

import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.units.Bandwidth;

/** Data sheets for the tests of this package (NVIDIA data sheets of V100, A100 and H100 SXM). */
public final class Gpus {
    public static final GpuSpec V100 = new GpuSpec(
            "v100-32gb", "volta", 32L << 30, new Bandwidth(900_000_000_000L), 125e12, 15.7e12, 80, 1_530_000_000L);
    public static final GpuSpec A100_40GB = new GpuSpec(
            "a100-40gb", "ampere", 40L << 30, new Bandwidth(1_555_000_000_000L), 312e12, 19.5e12, 108, 1_410_000_000L);
    public static final GpuSpec A100_80GB = new GpuSpec(
            "a100-80gb", "ampere", 80L << 30, new Bandwidth(2_039_000_000_000L), 312e12, 19.5e12, 108, 1_410_000_000L);
    public static final GpuSpec H100_80GB = new GpuSpec(
            "h100-80gb", "hopper", 80L << 30, new Bandwidth(3_350_000_000_000L), 989e12, 67e12, 132, 1_980_000_000L);

    private Gpus() {}

    /** Returns the GPU that an architecture was measured on. */
    public static GpuSpec of(String architecture) {
        return switch (architecture) {
            case "ampere" -> A100_80GB;
            case "hopper" -> H100_80GB;
            case "volta" -> V100;
            default -> throw new IllegalArgumentException(architecture + " is none of ampere, hopper, volta");
        };
    }
}
