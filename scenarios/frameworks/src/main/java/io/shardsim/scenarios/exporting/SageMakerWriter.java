package io.shardsim.scenarios.exporting;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A SageMaker estimator with its {@code distribution}, plus model and Trainer arguments: MiCS is sharded data parallelism of the model parallel
 * library v1, FSDP is v2.
 */
final class SageMakerWriter extends FrameworkWriter {
    private static final String LIBRARY = "smdistributed.modelparallel.";
    private static final String SMP = LIBRARY + "parameters.";

    SageMakerWriter() {
        super("sagemaker");
    }

    @Override
    String remedy(String kind) {
        return switch (kind) {
            case "fsdp2" -> "its v2 wraps FSDP1: plan with strategy.kind: [fsdp-hybrid], or write fsdp";
            case "megatron", "megatron-core" -> "write megatron, or plan with strategy.kind: [mics, fsdp-hybrid]";
            default -> "write deepspeed, or plan with strategy.kind: [mics, fsdp-hybrid]";
        };
    }

    @Override
    @Nullable
    String refusal(Settings settings) {
        boolean library = settings.kind().equals("mics") || settings.kind().startsWith("fsdp");
        if (settings.job().parallel().stages() > 1 || !library && settings.ranksOfReplica() > 1) {
            return "model splits are written for mics and fsdp-hybrid only, without stages; write megatron, or "
                    + "plan with strategy.pipeline_parallel and strategy.tensor_parallel: [1]";
        }
        return null;
    }

    @Override
    List<WrittenFile> files(Settings settings, String instance) {
        boolean checkpoints = !settings.is(Settings.CHECKPOINTING, "none");
        return List.of(
                new WrittenFile("estimator.py", estimator(settings, instance)),
                TrainerFiles.arguments(settings, checkpoints, Map.of()),
                TrainerFiles.model(settings));
    }

    private static String estimator(Settings settings, String instance) {
        boolean first = settings.kind().equals("mics");
        ForeignBlock file = new ForeignBlock("sagemaker", settings)
                .put("entry_point", "train.py")
                .put("framework_version", first ? "1.13.1" : "2.2.0")
                .put("py_version", first ? "py39" : "py310")
                .put("instance_type", "ml." + instance)
                .carry("instance_count");
        StringBuilder text = new StringBuilder("# " + settings.scenario() + ", written by shardsim\n");
        text.append("import sagemaker\nfrom sagemaker.pytorch import PyTorch\n\nestimator = PyTorch(\n");
        file.tree()
                .forEach((key, value) -> text.append("    ")
                        .append(key)
                        .append('=')
                        .append(Texts.python(value, "    "))
                        .append(",\n"));
        return text.append("    role=sagemaker.get_execution_role(),\n    distribution=")
                .append(Texts.python(distribution(settings), "    "))
                .append(",\n)\n")
                .toString();
    }

    private static Map<String, Object> distribution(Settings settings) {
        ForeignBlock file = new ForeignBlock("sagemaker", settings);
        switch (settings.kind()) {
            case "mics" -> first(file, settings);
            case "smddp" -> file.put("smdistributed.dataparallel.enabled", true);
            case "ddp" -> file.put("torch_distributed.enabled", true);
            default -> second(file, settings);
        }
        return file.tree();
    }

    private static void first(ForeignBlock file, Settings settings) {
        file.put(LIBRARY + "enabled", true)
                .put(SMP + "ddp", true)
                .put(SMP + "partitions", 1)
                .put(SMP + "sharded_data_parallel_degree", settings.whole("strategy.shard_group"))
                .carry(SMP + "sdp_reduce_bucket_size")
                .carry(SMP + "sdp_param_persistence_threshold")
                .carry(SMP + "sdp_max_live_parameters")
                .carry(SMP + "sdp_hierarchical_allgather")
                .carry(SMP + "sdp_gradient_clipping");
        if (settings.ranksOfReplica() > 1) {
            file.carry(SMP + "tensor_parallel_degree");
        }
        file.carry(SMP + "offload_activations").carry(SMP + "activation_loading_horizon");
        file.carry(SMP + "delayed_parameter_initialization");
        if (!settings.is(Settings.PRECISION, "fp32")) {
            file.put(SMP + (settings.is(Settings.PRECISION, "fp16") ? "fp16" : "bf16"), true);
        }
        file.put("mpi.enabled", true).put("mpi.processes_per_host", settings.whole(Settings.GPUS_PER_NODE));
    }

    private static void second(ForeignBlock file, Settings settings) {
        boolean hybrid = settings.kind().equals("fsdp-hybrid");
        file.put("torch_distributed.enabled", true)
                .put(LIBRARY + "enabled", true)
                .put(SMP + "hybrid_shard_degree", hybrid ? settings.whole("strategy.shard_group") : 0)
                .carry(SMP + "sm_activation_offloading")
                .carry(SMP + "activation_loading_horizon");
        if (settings.ranksOfReplica() > 1) {
            file.carry(SMP + "tensor_parallel_degree");
        }
    }

    @Override
    String launch(Settings settings) {
        return "python estimator.py";
    }

    @Override
    List<String> notes(Settings settings) {
        return List.of(
                "train.py is your script: it reads args.json and config.json, and estimator.fit() starts the job.",
                settings.kind().equals("mics")
                        ? "sharded_data_parallel_degree needs the model parallel library v1 (PyTorch 1.13.1), "
                                + "which AWS no longer extends; its successor is HSDP in v2: plan with "
                                + "strategy.kind: [fsdp-hybrid]."
                        : "framework_version 2.2.0 is the oldest checked against the library's v2 parameters.");
    }
}
