package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The YAML file that {@code accelerate config} writes. */
final class AccelerateConfig implements Importer {
    private static final String FSDP = "fsdp_config.fsdp_";
    private static final String DEEPSPEED = "deepspeed_config.";
    private static final String MEGATRON = "megatron_lm_config.megatron_lm_";
    private static final String DEEPSPEED_FILE = DEEPSPEED + "deepspeed_config_file";
    private static final long RANKS_MAX = 1L << 22;

    @Override
    public String table() {
        return "accelerate";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeCluster(file, draft);
        contributePrecision(file, draft);
        String type = file.text("distributed_type");
        String kind = type == null ? "" : type.toLowerCase(Locale.ROOT);
        switch (kind) {
            case "fsdp" -> new FsdpSettings(file, draft, FSDP).contribute(null, null);
            case "deepspeed" -> contributeDeepSpeed(file, draft);
            case "megatron_lm" -> contributeMegatron(file, draft);
            case "multi_gpu", "no", "data_parallel" ->
                draft.give(Draft.KIND, data(file, draft), file.key("distributed_type"));
            default -> refuse(file, kind);
        }
        if (!kind.equals("fsdp")) {
            file.ignore("fsdp_config.", "distributed_type is not FSDP");
        }
        if (!kind.equals("deepspeed")) {
            file.ignore(DEEPSPEED, "distributed_type is not DEEPSPEED");
        }
        if (!kind.equals("megatron_lm")) {
            file.ignore("megatron_lm_config.", "distributed_type is not MEGATRON_LM");
        }
        contributeParallelism(file, draft, "parallelism_config.parallelism_config_");
        contributeCompiler(file, draft);
    }

    /** SageMaker's data parallelism library, if the file asks for it. */
    private static String data(ForeignFile file, Draft draft) {
        String environment = file.text("compute_environment");
        return "AMAZON_SAGEMAKER".equals(environment) && draft.has(Draft.INSTANCE) ? "smddp" : "ddp";
    }

    private static void refuse(ForeignFile file, String kind) {
        if (!kind.isEmpty()) {
            file.judge(
                    "distributed_type",
                    Verdict.DECIDES_THE_ANSWER,
                    "only MULTI_GPU, FSDP, DEEPSPEED and MEGATRON_LM are supported; the strategy is assumed");
        }
    }

    private static void contributeCluster(ForeignFile file, Draft draft) {
        Long processes = file.whole("num_processes", -1, RANKS_MAX);
        if (processes != null && processes > 0) {
            draft.give(Draft.WORLD, processes, file.key("num_processes"));
        } else {
            file.judge("num_processes", Verdict.IRRELEVANT, "left to the launcher");
        }
        Long machines = file.whole("num_machines", 0, 65_536);
        if (machines != null && machines > 0 && (processes != null || machines > 1)) {
            draft.give(Draft.NODES, machines, file.key("num_machines"));
        }
        String instance = file.text("ec2_instance_type");
        if (instance != null) {
            draft.give(Draft.INSTANCE, instance.replaceFirst("^ml\\.", ""), file.key("ec2_instance_type"));
        }
    }

    private static void contributePrecision(ForeignFile file, Draft draft) {
        String precision = file.choice("mixed_precision", List.of("no", "false", "fp16", "bf16", "fp8"));
        if (precision == null) {
            draft.giveIf(file, "fp16", Draft.PRECISION, "fp16");
        } else if (precision.equals("fp8")) {
            draft.give(Draft.PRECISION, "bf16", file.key("mixed_precision"));
            file.judge(
                    "mixed_precision",
                    Verdict.DECIDES_THE_ANSWER,
                    "simulated with BF16 GEMMs; FP8 GEMMs run up to twice as fast on H100 (precision: fp8 with "
                            + "framework_profile torchtitan-compile)");
        } else if (precision.endsWith("16")) {
            draft.give(Draft.PRECISION, precision, file.key("mixed_precision"));
        } else {
            // The script or DeepSpeed's file may still enable mixed precision.
            draft.byDefault(Draft.PRECISION, "fp32", "mixed_precision is no");
        }
    }

    private static void contributeDeepSpeed(ForeignFile file, Draft draft) {
        Long stage = file.whole(DEEPSPEED + "zero_stage", 0, 3);
        if (stage != null) {
            draft.give(Draft.KIND, MegatronArguments.STAGES.get(stage.intValue()), file.key(DEEPSPEED + "zero_stage"));
        } else if (file.has(DEEPSPEED_FILE)) {
            needs(file, draft, DEEPSPEED_FILE);
        } else {
            draft.byDefault(Draft.KIND, "zero2", "Accelerate's default");
        }
        draft.giveWhole(file, DEEPSPEED + "gradient_accumulation_steps", Draft.ACCUMULATION, 1, 1_000_000_000);
        draft.giveDecimal(file, DEEPSPEED + "gradient_clipping", Draft.CLIPPING, 0, 1e9);
        DeepSpeedConfig.offload(file, draft, DEEPSPEED + "offload_optimizer_device", "strategy.offload_optimizer");
        if (stage != null && stage < 3) {
            file.judge(DEEPSPEED + "offload_param_device", Verdict.IRRELEVANT, "stage " + stage + " does not read it");
        } else {
            DeepSpeedConfig.offload(file, draft, DEEPSPEED + "offload_param_device", "strategy.offload_parameters");
        }
        draft.byDefault(Draft.PROFILE, "deepspeed-accelerate", "PyTorch's AdamW, as Accelerate uses it");
        if (stage != null && (stage == 1 || stage == 2)) {
            draft.byDefault("strategy.use_multi_rank_bucket_allreduce", true, "DeepSpeed's default since 0.12.4");
        }
    }

    /** The strategy is in another file, which this one names. */
    static void needs(ForeignFile file, Draft draft, String key) {
        draft.afterwards(done -> {
            if (done.has(Draft.KIND)) {
                file.judge(key, Verdict.MODELLED, "read from the DeepSpeed configuration, which was also given");
            } else {
                boolean inScript = "true".equals(file.text(key));
                String what = inScript
                        ? " leaves its DeepSpeed configuration to the script"
                        : " names a DeepSpeed configuration";
                file.refuse(key, key + what + ", which sets the strategy; also pass that file");
            }
        });
    }

    private static void contributeMegatron(ForeignFile file, Draft draft) {
        boolean sharded = file.flag(MEGATRON + "use_distributed_optimizer", false);
        draft.give(Draft.KIND, sharded ? "megatron-core" : "megatron", file.key("distributed_type"));
        draft.giveWhole(file, MEGATRON + "tp_degree", "strategy.tensor_parallel", 1, 65_536);
        draft.giveWhole(file, MEGATRON + "pp_degree", "strategy.pipeline_parallel", 1, 4096);
        draft.giveFlag(file, MEGATRON + "sequence_parallelism", "strategy.sequence_parallel");
        draft.giveWhole(file, MEGATRON + "num_micro_batches", Draft.ACCUMULATION, 1, 1_000_000);
        Boolean selective = file.flag(MEGATRON + "recompute_activations");
        draft.give(
                Draft.CHECKPOINTING,
                selective == null ? null : selective ? "selective" : "none",
                file.key(MEGATRON + "recompute_activations"));
        draft.giveDecimal(file, MEGATRON + "gradient_clipping", Draft.CLIPPING, 0, 1e9);
    }

    /** The device mesh, in the form of Accelerate and the Trainer. */
    static void contributeParallelism(ForeignFile file, Draft draft, String prefix) {
        Long shard = file.whole(prefix + "dp_shard_size", -1, RANKS_MAX);
        Long replicas = file.whole(prefix + "dp_replicate_size", -1, RANKS_MAX);
        if (shard != null && shard > 1) {
            Long context = file.whole(prefix + "cp_size", 1, RANKS_MAX);
            draft.give(
                    "strategy.shard_group",
                    context == null ? shard : shard * context,
                    file.key(prefix + "dp_shard_size"));
            if (replicas == null || replicas <= 1) {
                file.judge(prefix + "dp_shard_size", Verdict.MODELLED, "strategy.shard_group");
            }
        } else {
            file.judge(prefix + "dp_shard_size", Verdict.IRRELEVANT, "no shard group");
        }
        if (shard != null && shard > 0) {
            // Accelerate rejects a mesh that does not cover all processes (ParallelismConfig).
            draft.giveMesh(
                    file,
                    Stream.of("dp_shard_size", "dp_replicate_size", "tp_size", "cp_size", "sp_size")
                            .map(prefix::concat)
                            .toList());
        }
        draft.giveDegree(file, prefix + "tp_size", "strategy.tensor_parallel", 1);
        draft.giveDegree(file, prefix + "cp_size", "strategy.context_parallel", 1);
    }

    private static void contributeCompiler(ForeignFile file, Draft draft) {
        for (String key : List.of("dynamo_config.dynamo_backend", "dynamo_backend")) {
            String backend = file.text(key);
            if (backend != null && backend.equalsIgnoreCase("inductor")) {
                draft.give(Draft.KERNELS, "compiled", file.key(key));
            } else if (backend != null && !backend.equalsIgnoreCase("no")) {
                file.judge(
                        key,
                        Verdict.NOT_MODELLED,
                        "only inductor is simulated, as training.kernels compiled; other backends may fuse "
                                + "differently");
            }
        }
    }
}
