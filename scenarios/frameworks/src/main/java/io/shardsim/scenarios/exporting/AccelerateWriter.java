package io.shardsim.scenarios.exporting;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The YAML config of {@code accelerate launch} with PyTorch FSDP or DDP, plus model and Trainer arguments. FSDP2 takes shard groups and tensor
 * parallelism from a device mesh; FSDP1 has neither [1].
 *
 * <p>[1] huggingface/accelerate 16cb6eb8, src/accelerate/commands/launch.py and utils/dataclasses.py, FullyShardedDataParallelPlugin.
 */
final class AccelerateWriter extends FrameworkWriter {
    private static final String STAGES = "strategy.pipeline_parallel";
    private static final String EXPERTS = "strategy.expert_parallel";
    private static final String FSDP = "fsdp_config.fsdp_";
    private static final String MESH = "parallelism_config.parallelism_config_";

    AccelerateWriter() {
        super("accelerate");
    }

    @Override
    String remedy(String kind) {
        return switch (kind) {
            case "mics" ->
                "use HSDP, its maintained counterpart: plan with strategy.kind: [fsdp2], or write smp, where "
                        + "MiCS is sharded_data_parallel_degree";
            case "megatron", "megatron-core" -> "write megatron, or plan with strategy.kind: [fsdp2]";
            case "smddp" -> "write smp, or plan with strategy.kind: [fsdp2, ddp]";
            default -> "write deepspeed, or plan with strategy.kind: [fsdp2]";
        };
    }

    @Override
    @Nullable
    String refusal(Settings settings) {
        boolean second = settings.kind().equals("fsdp2");
        if (second && (settings.whole(STAGES) > 1 || settings.whole(EXPERTS) > 1)) {
            return "its device mesh has no stages and no experts; plan with strategy.pipeline_parallel and strategy.expert_parallel: [1]";
        }
        if (!second && settings.ranksOfReplica() > 1) {
            return "its device mesh needs FSDP2; plan with strategy.kind: [fsdp2], or with strategy.tensor_parallel and strategy.pipeline_parallel: [1]";
        }
        return null;
    }

    @Override
    List<WrittenFile> files(Settings settings, String instance) {
        boolean sharded = !settings.kind().equals("ddp");
        boolean reentrant = settings.is("strategy.reentrant_checkpoints");
        boolean checkpoints = !settings.is(Settings.CHECKPOINTING, "none");
        Map<String, Object> more = new LinkedHashMap<>();
        if (reentrant && checkpoints) {
            more.put("gradient_checkpointing_kwargs.use_reentrant", true);
        }
        if (!sharded) {
            more.put("ddp_bucket_cap_mb", mebibytes(settings.text("strategy.bucket_size")));
        }
        boolean byTrainer = checkpoints && (reentrant || !sharded);
        return List.of(
                new WrittenFile("accelerate.yaml", Texts.yaml(configuration(settings, checkpoints && !byTrainer))),
                TrainerFiles.arguments(settings, byTrainer, more),
                TrainerFiles.model(settings));
    }

    /** The Trainer takes DDP bucket sizes in whole MiB. */
    private static @Nullable Object mebibytes(@Nullable String size) {
        return size != null && size.matches("\\d+ MiB") ? Long.valueOf(size.replace(" MiB", "")) : null;
    }

    private static Map<String, Object> configuration(Settings settings, boolean checkpoints) {
        boolean sharded = !settings.kind().equals("ddp");
        boolean half = !settings.is(Settings.PRECISION, "fp32");
        ForeignBlock file = new ForeignBlock("accelerate", settings)
                .put("compute_environment", "LOCAL_MACHINE")
                .put("distributed_type", sharded ? "FSDP" : "MULTI_GPU")
                .put("num_processes", settings.whole(Settings.NODES) * settings.whole(Settings.GPUS_PER_NODE))
                .carry("num_machines")
                .put("machine_rank", 0)
                .put("main_training_function", "main")
                .put("rdzv_backend", "static")
                .put("same_network", true)
                .put("mixed_precision", half ? (settings.is(Settings.PRECISION, "fp16") ? "fp16" : "bf16") : "no");
        if (sharded) {
            fsdp(file, settings);
            file.put(FSDP + "auto_wrap_policy", "TRANSFORMER_BASED_WRAP")
                    .put(FSDP + "transformer_layer_cls_to_wrap", TrainerFiles.layerClass(settings))
                    .put(FSDP + "offload_params", false)
                    .put(FSDP + "state_dict_type", "SHARDED_STATE_DICT")
                    .put(FSDP + "activation_checkpointing", checkpoints);
        }
        return file.tree();
    }

    private static void fsdp(ForeignBlock file, Settings settings) {
        if (settings.kind().equals("fsdp2")) {
            file.put(FSDP + "version", 2).carry(FSDP + "reshard_after_forward");
            mesh(file, settings);
            return;
        }
        // HYBRID_SHARD shards within a node; if all ranks are one shard group, it is FULL_SHARD.
        boolean hybrid = settings.kind().equals("fsdp-hybrid")
                && (settings.whole("strategy.shard_group") < settings.job().dataParallel()
                        || settings.whole(Settings.NODES) == 1);
        boolean reshards = settings.is("strategy.reshard_after_forward");
        String strategy = hybrid
                ? (reshards ? "HYBRID_SHARD" : "HYBRID_SHARD_ZERO2")
                : (reshards ? "FULL_SHARD" : "SHARD_GRAD_OP");
        file.put(FSDP + "version", 1)
                .put(FSDP + "sharding_strategy", strategy)
                .put(
                        FSDP + "backward_prefetch",
                        settings.is("strategy.backward_prefetch") ? "BACKWARD_PRE" : "BACKWARD_POST")
                .put(FSDP + "forward_prefetch", false)
                .put(FSDP + "use_orig_params", true);
    }

    /** States are also sharded over context-parallel ranks, which are a separate dimension of the mesh. */
    private static void mesh(ForeignBlock file, Settings settings) {
        long tensor = settings.whole("strategy.tensor_parallel");
        long context = settings.whole("strategy.context_parallel");
        long ranks = settings.job().dataParallel();
        long group = settings.whole("strategy.shard_group");
        if (tensor > 1 || context > 1 || group < ranks) {
            file.put(MESH + "dp_replicate_size", ranks / group).put(MESH + "dp_shard_size", group / context);
        }
        if (tensor > 1) {
            file.carry(MESH + "tp_size");
        }
        if (context > 1) {
            file.carry(MESH + "cp_size")
                    .put(
                            MESH + "cp_comm_strategy",
                            settings.is("strategy.gather_keys_values") ? "allgather" : "alltoall");
        }
    }

    @Override
    String launch(Settings settings) {
        return "accelerate launch --config_file accelerate.yaml run_clm.py " + TrainerFiles.ARGUMENTS;
    }

    @Override
    List<String> notes(Settings settings) {
        return List.of(
                TrainerFiles.DATA,
                String.format(
                        Locale.ROOT,
                        "On each of several machines add --machine_rank, --main_process_ip and --main_process_port."));
    }
}
