package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.List;

/** Products of 8 bits need tensor cores for them, and 16 bits around them. */
final class EightBitProducts {
    private EightBitProducts() {}

    static List<Refusal> problems(TrainingJob job, Cluster where) {
        if (!FrameworkProfile.named(job.kernels()).eightBitProducts()) {
            return List.of();
        }
        String profile = "framework_profile " + job.kernels();
        List<Refusal> found = new ArrayList<>();
        GpuSpec gpu = where.instance().gpu();
        if (!GpuCalibration.of(gpu).multipliesEightBits()) {
            found.add(Refusal.of(
                    profile + " multiplies numbers of 8 bits, for which " + gpu.name()
                            + " has no tensor cores; choose a GPU of the Hopper architecture, or another profile",
                    "framework_profile"));
        }
        if (job.precision() == Precision.FP32) {
            found.add(Refusal.of(
                    profile + " multiplies numbers of 8 bits and precision is fp32; write precision: bf16, or choose"
                            + " another profile",
                    "precision",
                    "framework_profile"));
        }
        return found;
    }
}
