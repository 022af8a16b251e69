package io.shardsim.scenarios.exporting;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** DeepSpeed's {@code ds_config.json}, plus model and Trainer arguments. */
final class DeepSpeedWriter extends FrameworkWriter {
    private static final String FILE = "ds_config.json";
    private static final String ZERO = "zero_optimization.";

    DeepSpeedWriter() {
        super("deepspeed");
    }

    @Override
    String remedy(String kind) {
        return kind.startsWith("megatron")
                ? "write megatron, or plan with strategy.kind: [zero1, zero3-0.11]"
                : "write fsdp, or plan with strategy.kind: [zero2, zero3-0.11]";
    }

    @Override
    @Nullable
    String refusal(Settings settings) {
        if (settings.job().parallel().stages() > 1) {
            return "its pipeline stages are code (PipelineModule), not configuration; write megatron, or plan with strategy.pipeline_parallel: [1]";
        }
        if (stage(settings) == 3 && settings.ranksOfReplica() > 1) {
            return "AutoTP runs with ZeRO stages 0 to 2 only; plan with strategy.tensor_parallel: [1]";
        }
        return null;
    }

    private static int stage(Settings settings) {
        return switch (settings.kind()) {
            case "ddp" -> 0;
            case "zero1" -> 1;
            case "zero2" -> 2;
            default -> 3;
        };
    }

    @Override
    List<WrittenFile> files(Settings settings, String instance) {
        boolean checkpoints = !settings.is(Settings.CHECKPOINTING, "none");
        return List.of(
                new WrittenFile(FILE, Texts.json(configuration(settings))),
                TrainerFiles.arguments(settings, checkpoints, Map.of("deepspeed", FILE)),
                TrainerFiles.model(settings));
    }

    private static Map<String, Object> configuration(Settings settings) {
        ForeignBlock file = new ForeignBlock("deepspeed", settings)
                .carry("train_batch_size", "train_micro_batch_size_per_gpu")
                .put("gradient_accumulation_steps", settings.job().accumulationSteps())
                .carry("gradient_clipping");
        if (!settings.is(Settings.PRECISION, "fp32")) {
            file.put(settings.is(Settings.PRECISION, "fp16") ? "fp16.enabled" : "bf16.enabled", true);
        }
        if (TrainerFiles.namesOptimizer(settings)) {
            file.put("zero_allow_untested_optimizer", true);
        } else {
            file.put("optimizer.type", settings.is(Settings.OPTIMIZER, "lamb") ? "Lamb" : "AdamW")
                    .put("optimizer.params.lr", TrainerFiles.LEARNING_RATE);
        }
        if (settings.is(Settings.KERNELS, "deepspeed-accelerate")) {
            file.put("optimizer.params.torch_adam", true);
        }
        zero(file, settings);
        if (settings.is(Settings.OFFLOAD)) {
            file.put("activation_checkpointing.cpu_checkpointing", true);
        }
        if (settings.ranksOfReplica() > 1) {
            file.carry("tensor_parallel.autotp_size");
        }
        if (settings.job().parallel().experts() > 1) {
            file.put("expert_parallel.enabled", true).carry("expert_parallel.autoep_size");
        }
        return file.tree();
    }

    private static void zero(ForeignBlock file, Settings settings) {
        int stage = stage(settings);
        file.put(ZERO + "stage", stage);
        if (stage == 0) {
            return;
        }
        file.carry(ZERO + "overlap_comm", ZERO + "reduce_bucket_size");
        if (stage < 3) {
            file.carry(ZERO + "allgather_bucket_size", ZERO + "use_multi_rank_bucket_allreduce")
                    .put("communication_data_type", settings.is("strategy.reduce_in_fp32") ? "fp32" : null);
        } else {
            file.carry(
                    ZERO + "contiguous_gradients",
                    ZERO + "stage3_prefetch_bucket_size",
                    ZERO + "stage3_param_persistence_threshold",
                    ZERO + "stage3_max_live_parameters",
                    ZERO + "stage3_max_reuse_distance");
        }
        offload(file, settings, "strategy.offload_optimizer", "offload_optimizer");
        offload(file, settings, "strategy.offload_parameters", "offload_param");
        if (settings.kind().equals("zeropp")) {
            file.carry(ZERO + "zero_quantized_weights", ZERO + "zero_quantized_gradients");
            if (settings.is("strategy.secondary_shard_group")) {
                file.put(ZERO + "zero_hpz_partition_size", settings.whole(Settings.GPUS_PER_NODE));
            }
        } else if (settings.kind().equals("mics")) {
            file.put(ZERO + "mics_shard_size", settings.whole("strategy.shard_group"))
                    .carry(ZERO + "mics_hierarchical_params_gather");
        }
    }

    private static void offload(ForeignBlock file, Settings settings, String key, String block) {
        if (settings.is(key)) {
            file.put(ZERO + block + ".device", "cpu").put(ZERO + block + ".pin_memory", true);
        }
    }

    @Override
    String launch(Settings settings) {
        return TrainerFiles.torchrun(settings);
    }

    @Override
    List<String> notes(Settings settings) {
        List<String> notes = new ArrayList<>(List.of(TrainerFiles.DATA));
        if (settings.kind().equals("mics")) {
            notes.add("DeepSpeed's own MiCS needs patches (its issue 5080). Maintained alternatives: --write "
                    + "smp, which is sharded_data_parallel_degree, or HSDP: plan with strategy.kind: [fsdp2] "
                    + "and write fsdp.");
        }
        if (settings.ranksOfReplica() > 1) {
            // deepspeedai/DeepSpeed blogs/huggingface-tp, requirements.
            notes.add("AutoTP training needs DeepSpeed 0.16.4, Transformers 4.50.1 and Accelerate 1.6.0 or later.");
        }
        return notes;
    }
}
