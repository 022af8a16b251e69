package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Architecture;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.List;

/** Capabilities that a training needs of its GPU: its precision, its attention, and 8-bit GEMMs, which need 16-bit formats around them. */
final class Capabilities {
    private Capabilities() {}

    static List<Refusal> problems(TrainingJob job, Cluster where) {
        GpuSpec gpu = where.instance().gpu();
        List<Refusal> found = new ArrayList<>(eightBits(job, gpu));
        found.addAll(recipe(job, gpu));
        Architecture able = Architecture.of(gpu);
        if (job.precision() != Precision.FP8 && !able.has(job.precision())) {
            found.add(Refusal.of(
                    "precision " + job.precision().id() + " does not run on " + gpu.name() + ": "
                            + Architecture.called(gpu) + " has FP16 tensor cores only;  write precision: fp16, "
                            + "or choose a GPU of Ampere or later",
                    "precision"));
        }
        long version = job.profile().flashVersion();
        if (job.execution().attention() == AttentionKind.FLASH && able.flashAttention() < version) {
            found.add(Refusal.of(
                    "attention flash does not run on " + gpu.name() + ": FlashAttention " + version + " needs "
                            + (version == 1 ? "Turing" : "Ampere") + " or later, and " + gpu.name() + " is "
                            + Architecture.called(gpu) + "; write attention: standard",
                    "attention"));
        }
        return found;
    }

    private static List<Refusal> eightBits(TrainingJob job, GpuSpec gpu) {
        boolean asked = job.precision() == Precision.FP8;
        if (!job.profile().eightBitProducts()) {
            return asked ? List.of(noRecipe(job)) : List.of();
        }
        String who = asked ? "precision fp8" : "framework_profile " + job.kernels();
        String key = asked ? "precision" : "framework_profile";
        List<Refusal> found = new ArrayList<>();
        if (!Architecture.of(gpu).has(Precision.FP8)) {
            found.add(Refusal.of(
                    who + " needs FP8 tensor cores, which " + gpu.name()
                            + " does not have; choose a Hopper GPU, or another "
                            + (asked ? "precision" : "profile"),
                    key));
        }
        if (job.precision() == Precision.FP32) {
            found.add(Refusal.of(
                    who + " runs FP8 GEMMs and precision is fp32; write precision: bf16, or choose another profile",
                    "precision",
                    key));
        }
        return found;
    }

    /** Checks that the kernels know the recipe and that the tensor cores support its format. */
    private static List<Refusal> recipe(TrainingJob job, GpuSpec gpu) {
        String asked = job.execution().fp8Recipe();
        FrameworkProfile profile = job.profile();
        if (asked == null || job.precision() == Precision.FP8 && !profile.eightBitProducts()) {
            return List.of();
        }
        String problem = null;
        if (!profile.eightBitProducts()) {
            problem = "needs precision: fp8, not " + job.precision().id()
                    + "; write precision: fp8, or remove fp8_recipe";
        } else if (!profile.fp8Recipes().contains(asked)) {
            problem = "is none of " + job.kernels() + ", which follows " + String.join(", ", profile.fp8Recipes())
                    + "; write one of these";
        } else if (!runsOn(profile, gpu)) {
            problem = "needs a GPU of architecture " + String.join(" or ", profile.fp8Architectures()) + ", and "
                    + gpu.name() + " is of " + gpu.architecture() + "; choose another GPU, or write one of "
                    + String.join(
                            ", ",
                            profile.fp8Recipes().stream()
                                    .filter(other -> runsOn(profile.under(other), gpu))
                                    .toList());
        }
        return problem == null ? List.of() : List.of(Refusal.of("fp8_recipe " + asked + " " + problem, "fp8_recipe"));
    }

    private static boolean runsOn(FrameworkProfile profile, GpuSpec gpu) {
        List<String> architectures = profile.fp8Architectures();
        return architectures.isEmpty() || architectures.contains(gpu.architecture());
    }

    private static Refusal noRecipe(TrainingJob job) {
        return Refusal.of(
                "precision fp8 needs kernels with an FP8 recipe, and " + job.kernels()
                        + " ships none; write kernels: "
                        + String.join(" or ", FrameworkProfile.namesWithFp8()) + ", or write precision: bf16",
                "precision");
    }
}
