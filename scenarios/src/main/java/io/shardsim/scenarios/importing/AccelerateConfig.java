package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.List;
import java.util.Locale;

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
    public int likeness(Mapping root, int known) {
        int marked = Importers.marked(root, known, "compute_environment", "distributed_type");
        return marked > 0 || known < 2 ? marked : known;
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
        unread(file, "fsdp_config.", kind.equals("fsdp"), "distributed_type is not FSDP");
        unread(file, DEEPSPEED, kind.equals("deepspeed"), "distributed_type is not DEEPSPEED");
        unread(file, "megatron_lm_config.", kind.equals("megatron_lm"), "distributed_type is not MEGATRON_LM");
        contributeParallelism(file, draft, "parallelism_config.parallelism_config_");
        contributeCompiler(file, draft);
    }

    /** SageMaker's data parallelism where the file asks for it. */
    private static String data(ForeignFile file, Draft draft) {
        String environment = file.text("compute_environment");
        return "AMAZON_SAGEMAKER".equals(environment) && draft.has(Draft.INSTANCE) ? "smddp" : "ddp";
    }

    private static void refuse(ForeignFile file, String kind) {
        if (!kind.isEmpty()) {
            file.judge(
                    "distributed_type",
                    Verdict.DECIDES_THE_ANSWER,
                    "only MULTI_GPU, FSDP, DEEPSPEED and MEGATRON_LM are; the strategy is assumed");
        }
    }

    private static void unread(ForeignFile file, String block, boolean read, String why) {
        if (!read) {
            file.keys().stream()
                    .filter(key -> key.path().startsWith(block))
                    .forEach(key -> key.judge(Verdict.IRRELEVANT, why));
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
            if (file.flag("fp16", false)) {
                draft.give(Draft.PRECISION, "fp16", file.key("fp16"));
            }
        } else if (precision.equals("fp8")) {
            draft.give(Draft.PRECISION, "bf16", file.key("mixed_precision"));
            file.judge(
                    "mixed_precision",
                    Verdict.DECIDES_THE_ANSWER,
                    "BF16 GEMMs are simulated; FP8 ones run up to twice as fast on H100 (precision: fp8 with framework_profile torchtitan-compile)");
        } else if (precision.endsWith("16")) {
            draft.give(Draft.PRECISION, precision, file.key("mixed_precision"));
        } else {
            // The script, or DeepSpeed's file, may still ask for 16 bits.
            draft.byDefault(Draft.PRECISION, "fp32", "mixed_precision is no");
        }
    }

    private static void contributeDeepSpeed(ForeignFile file, Draft draft) {
        Long stage = file.whole(DEEPSPEED + "zero_stage", 0, 3);
        if (stage != null) {
            draft.give(
                    Draft.KIND,
                    List.of("ddp", "zero1", "zero2", "zero3-0.11").get(stage.intValue()),
                    file.key(DEEPSPEED + "zero_stage"));
        } else if (file.has(DEEPSPEED_FILE)) {
            needs(file, draft, DEEPSPEED_FILE);
        } else {
            draft.byDefault(Draft.KIND, "zero2", "Accelerate's default");
        }
        draft.give(
                Draft.ACCUMULATION,
                file.whole(DEEPSPEED + "gradient_accumulation_steps", 1, 1_000_000_000),
                file.key(DEEPSPEED + "gradient_accumulation_steps"));
        Double clipping = file.decimal(DEEPSPEED + "gradient_clipping", 0, 1e9);
        draft.give(Draft.CLIPPING, clipping, file.key(DEEPSPEED + "gradient_clipping"));
        offload(file, draft, "offload_optimizer_device", "strategy.offload_optimizer");
        if (stage != null && stage < 3) {
            file.judge(DEEPSPEED + "offload_param_device", Verdict.IRRELEVANT, "stage " + stage + " does not read it");
        } else {
            offload(file, draft, "offload_param_device", "strategy.offload_parameters");
        }
        draft.byDefault(Draft.PROFILE, "deepspeed-accelerate", "PyTorch's AdamW, as Accelerate passes it on");
        if (stage != null && (stage == 1 || stage == 2)) {
            draft.byDefault("strategy.use_multi_rank_bucket_allreduce", true, "DeepSpeed's default since 0.12.4");
        }
    }

    /** The strategy stands in a file that this one names. */
    static void needs(ForeignFile file, Draft draft, String key) {
        draft.afterwards(done -> {
            if (done.has(Draft.KIND)) {
                file.judge(key, Verdict.MODELLED, "read from the DeepSpeed configuration that was given too");
            } else {
                file.refuse(
                        key, key + " names a DeepSpeed configuration, which says the strategy; give that file, too");
            }
        });
    }

    private static void offload(ForeignFile file, Draft draft, String key, String name) {
        String device = file.choice(DEEPSPEED + key, List.of("none", "cpu", "nvme"));
        if (device != null) {
            draft.give(name, !device.equals("none"), file.key(DEEPSPEED + key));
        }
        if ("nvme".equals(device)) {
            file.judge(
                    DEEPSPEED + key, Verdict.DECIDES_THE_ANSWER, name + " keeps them in host memory; NVMe is slower");
        }
    }

    private static void contributeMegatron(ForeignFile file, Draft draft) {
        boolean sharded = file.flag(MEGATRON + "use_distributed_optimizer", false);
        draft.give(Draft.KIND, sharded ? "megatron-core" : "megatron", file.key("distributed_type"));
        draft.give(
                "strategy.tensor_parallel",
                file.whole(MEGATRON + "tp_degree", 1, 65_536),
                file.key(MEGATRON + "tp_degree"));
        draft.give(
                "strategy.pipeline_parallel",
                file.whole(MEGATRON + "pp_degree", 1, 4096),
                file.key(MEGATRON + "pp_degree"));
        draft.give(
                "strategy.sequence_parallel",
                file.flag(MEGATRON + "sequence_parallelism"),
                file.key(MEGATRON + "sequence_parallelism"));
        draft.give(
                Draft.ACCUMULATION,
                file.whole(MEGATRON + "num_micro_batches", 1, 1_000_000),
                file.key(MEGATRON + "num_micro_batches"));
        Boolean selective = file.flag(MEGATRON + "recompute_activations");
        draft.give(
                Draft.CHECKPOINTING,
                selective == null ? null : selective ? "selective" : "none",
                file.key(MEGATRON + "recompute_activations"));
        draft.give(
                Draft.CLIPPING,
                file.decimal(MEGATRON + "gradient_clipping", 0, 1e9),
                file.key(MEGATRON + "gradient_clipping"));
    }

    /** The device mesh, as Accelerate and the Trainer write it. */
    static void contributeParallelism(ForeignFile file, Draft draft, String prefix) {
        Long shard = file.whole(prefix + "dp_shard_size", -1, RANKS_MAX);
        Long replicas = file.whole(prefix + "dp_replicate_size", -1, RANKS_MAX);
        if (shard != null && shard > 1) {
            draft.give("strategy.shard_group", shard, file.key(prefix + "dp_shard_size"));
            if (replicas == null || replicas <= 1) {
                file.judge(prefix + "dp_shard_size", Verdict.MODELLED, "strategy.shard_group");
            }
        } else {
            file.judge(prefix + "dp_shard_size", Verdict.IRRELEVANT, "no shard group");
        }
        Long tensor = file.whole(prefix + "tp_size", 1, 65_536);
        if (tensor != null && tensor > 1) {
            draft.give("strategy.tensor_parallel", tensor, file.key(prefix + "tp_size"));
        }
        Long context = file.whole(prefix + "cp_size", 1, 65_536);
        if (context != null && context > 1) {
            draft.give("strategy.context_parallel", context, file.key(prefix + "cp_size"));
        }
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
                        "only inductor is, as training.kernels compiled; kernels may be joined");
            }
        }
    }
}
