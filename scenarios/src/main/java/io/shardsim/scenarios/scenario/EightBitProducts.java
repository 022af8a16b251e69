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
        boolean asked = job.precision() == Precision.FP8;
        if (!job.profile().eightBitProducts()) {
            return asked ? List.of(noRecipe(job)) : List.of();
        }
        String who = asked ? "precision fp8" : "framework_profile " + job.kernels();
        String key = asked ? "precision" : "framework_profile";
        List<Refusal> found = new ArrayList<>();
        GpuSpec gpu = where.instance().gpu();
        if (!GpuCalibration.of(gpu).multipliesEightBits()) {
            found.add(Refusal.of(
                    who + " multiplies numbers of 8 bits, for which " + gpu.name()
                            + " has no tensor cores; choose a GPU of the Hopper architecture, or another "
                            + (asked ? "precision" : "profile"),
                    key));
        }
        if (job.precision() == Precision.FP32) {
            found.add(Refusal.of(
                    who + " multiplies numbers of 8 bits and precision is fp32; write precision: bf16, or choose"
                            + " another profile",
                    "precision",
                    key));
        }
        return found;
    }

    private static Refusal noRecipe(TrainingJob job) {
        return Refusal.of(
                "precision fp8 needs kernels with a recipe of FP8, and " + job.kernels()
                        + " ships none; write kernels: "
                        + String.join(" or ", FrameworkProfile.namesWithFp8()) + ", or write precision: bf16",
                "precision");
    }
}
