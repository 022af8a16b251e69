package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * DeepSpeed's {@code ds_config.json}. Hugging Face's integration fills in {@code auto} values from the Trainer's arguments or the model's width [1].
 *
 * <p>[1] huggingface/transformers 4.57.6, src/transformers/integrations/deepspeed.py, HfTrainerDeepSpeedConfig.
 */
final class DeepSpeedConfig implements Importer {
    private static final String ZERO = "zero_optimization.";
    private static final String STAGE = ZERO + "stage";
    private static final String OFFLOADED_OPTIMIZER = ZERO + "offload_optimizer.device";
    private static final String OFFLOADED_PARAMETERS = ZERO + "offload_param.device";
    private static final String MICS = ZERO + "mics_shard_size";
    private static final String HPZ = ZERO + "zero_hpz_partition_size";
    private static final String QUANTIZED_WEIGHTS = ZERO + "zero_quantized_weights";
    private static final String QUANTIZED_GRADIENTS = ZERO + "zero_quantized_gradients";
    private static final String FORMAT = "communication_data_type";
    /** Formats of a reduction, as get_communication_data_type of deepspeed/runtime/config.py reads them. */
    private static final List<String> FORMATS = List.of("fp32", "fp16", "bf16", "bfp16");

    private static final String EXPERTS = "expert_parallel.";
    private static final String DEFAULT = "DeepSpeed's default";
    private static final long MOST = 1_000_000_000_000L;

    /**
     * A size in elements that a simulated strategy also has.
     *
     * @param stages ZeRO stages that read it
     */
    private record Bucket(String theirs, String ours, Set<Long> stages) {}

    private static final Set<Long> ONE_AND_TWO = Set.of(1L, 2L);
    private static final Set<Long> THREE = Set.of(3L);
    private static final Set<Long> ALL_STAGES = Set.of(1L, 2L, 3L);

    private static final List<Bucket> BUCKETS = List.of(
            new Bucket("reduce_bucket_size", "reduce_bucket_size", ALL_STAGES),
            new Bucket("allgather_bucket_size", "allgather_bucket_size", ONE_AND_TWO),
            new Bucket("stage3_prefetch_bucket_size", "prefetch_bucket_size", THREE),
            new Bucket("prefetch_bucket_size", "prefetch_bucket_size", THREE),
            new Bucket("stage3_param_persistence_threshold", "param_persistence_threshold", THREE),
            new Bucket("param_persistence_threshold", "param_persistence_threshold", THREE),
            new Bucket("stage3_max_live_parameters", "max_live_parameters", THREE),
            new Bucket("max_live_parameters", "max_live_parameters", THREE),
            new Bucket("stage3_max_reuse_distance", "max_reuse_distance", THREE),
            new Bucket("max_reuse_distance", "max_reuse_distance", THREE));
    private static final List<Bucket> FLAGS = List.of(
            new Bucket("overlap_comm", "overlap_comm", ALL_STAGES),
            new Bucket("contiguous_gradients", "contiguous_gradients", THREE),
            new Bucket("use_multi_rank_bucket_allreduce", "use_multi_rank_bucket_allreduce", ONE_AND_TWO));

    @Override
    public String table() {
        return "deepspeed";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeTraining(file, draft);
        long stage = stage(file);
        String kind = kind(file, stage);
        draft.give(Draft.KIND, kind, file.key(STAGE));
        if (!file.has(STAGE)) {
            draft.byDefault(Draft.KIND, kind, "DeepSpeed without ZeRO");
        }
        contributeBuckets(file, draft, stage);
        contributeOffload(file, draft, stage);
        if (kind.equals("zeropp")) {
            contributeQuantization(file, draft);
        } else if (kind.equals("mics")) {
            contributeMics(file, draft);
        }
        draft.giveDegree(file, "tensor_parallel.autotp_size", "strategy.tensor_parallel", 0);
        contributeExperts(file, draft, stage);
        contributeOptimizer(file, draft, kind);
    }

    /** Reads AutoEP, which also replaces the loop over experts by grouped GEMMs. */
    private static void contributeExperts(ForeignFile file, Draft draft, long stage) {
        if (!file.flag(EXPERTS + "enabled", false)) {
            file.ignore(EXPERTS, "AutoEP is off");
            return;
        }
        draft.give(Draft.PROFILE, "deepspeed-autoep", file.key(EXPERTS + "enabled"));
        Long ranks = file.whole(EXPERTS + "autoep_size", 1, 65_536);
        if (ranks == null || ranks == 1 || ONE_AND_TWO.contains(stage)) {
            draft.giveDegree(file, EXPERTS + "autoep_size", "strategy.expert_parallel", 1);
        } else {
            file.judge(
                    EXPERTS + "autoep_size",
                    Verdict.DECIDES_THE_ANSWER,
                    "experts are distributed under ZeRO stages 1 and 2 alone; write one of them");
        }
    }

    private static void contributeTraining(ForeignFile file, Draft draft) {
        batch(file, draft, "train_batch_size", Draft.GLOBAL_BATCH, 1_000_000_000);
        batch(file, draft, "train_micro_batch_size_per_gpu", Draft.MICRO_BATCH, 65_536);
        batch(file, draft, "gradient_accumulation_steps", Draft.ACCUMULATION, 1_000_000_000);
        draft.giveDecimal(file, "gradient_clipping", Draft.CLIPPING, 0, 1e9);
        auto(file, draft, "gradient_clipping", Draft.CLIPPING);
        if (file.isAuto("gradient_clipping")) {
            draft.assume(Draft.CLIPPING, 1.0, "auto, and the Trainer's default is 1");
        } else {
            draft.byDefault(Draft.CLIPPING, 0.0, "DeepSpeed clips only if configured");
        }
        contributePrecision(file, draft);
        if (file.hasBlock("activation_checkpointing")) {
            draft.giveFlag(file, "activation_checkpointing.cpu_checkpointing", "training.activation_offload");
            draft.assume(Draft.CHECKPOINTING, "full", "the file configures checkpointing; the model's code enables it");
        }
    }

    private static void batch(ForeignFile file, Draft draft, String key, String name, long max) {
        draft.giveWhole(file, key, name, 1, max);
        auto(file, draft, key, name);
    }

    /** Notes the value of {@code auto} once the other files are read. */
    private static void auto(ForeignFile file, Draft draft, String key, String name) {
        ForeignKey asked = file.isAuto(key) ? file.key(key) : null;
        if (asked == null) {
            return;
        }
        draft.atEnd(done -> {
            Fact fact = done.fact(name);
            if (fact != null && fact.rank() != Fact.Rank.ASSUMED) {
                String why = fact.note().isEmpty() ? fact.origin() : fact.note();
                asked.judge(Verdict.MODELLED, "auto: " + fact.value() + ", " + why);
            } else {
                asked.judge(Verdict.APPROXIMATED, "auto, and not in any file what that is; see what is assumed");
            }
        });
    }

    private static void contributePrecision(ForeignFile file, Draft draft) {
        List<String> on =
                List.of("fp16.enabled", "bf16.enabled", "bfloat16.enabled", "amp.enabled", "torch_autocast.enabled");
        boolean any = false;
        boolean auto = false;
        for (String key : on) {
            auto |= file.isAuto(key);
            if (file.flag(key, false)) {
                any = true;
                draft.give(Draft.PRECISION, precision(file, key), file.key(key));
            }
            auto(file, draft, key, Draft.PRECISION);
        }
        if (!any && !auto) {
            draft.byDefault(Draft.PRECISION, "fp32", "DeepSpeed without fp16 and bf16");
        }
    }

    private static String precision(ForeignFile file, String key) {
        if (key.startsWith("torch_autocast")) {
            String type = file.text("torch_autocast.dtype");
            return type != null && type.endsWith("float16") && !type.endsWith("bfloat16") ? "fp16" : "bf16";
        }
        return key.startsWith("bf") ? "bf16" : "fp16";
    }

    private static long stage(ForeignFile file) {
        if (file.isAuto(STAGE)) {
            file.refuse(STAGE, STAGE + " is auto, which nothing resolves; write 0, 1, 2 or 3");
        }
        Long stage = file.whole(STAGE, 0, 3);
        return stage == null ? 0 : stage;
    }

    private static String kind(ForeignFile file, long stage) {
        if (stage == 1 || stage == 2) {
            return "zero" + stage;
        }
        if (stage == 0) {
            file.judge(
                    STAGE,
                    Verdict.APPROXIMATED,
                    "strategy.kind ddp with DeepSpeed's kernels; unlike ddp, DeepSpeed does not overlap its "
                            + "all-reduce with backward, and shards FP32 states if weights are bf16");
            return "ddp";
        }
        Long shards = file.whole(MICS, -1, MOST);
        if (shards != null && shards > 0) {
            return "mics";
        }
        Long secondary = file.whole(HPZ, 0, 65_536);
        boolean plusPlus = secondary != null && secondary > 1
                || file.flag(QUANTIZED_WEIGHTS, false)
                || file.flag(QUANTIZED_GRADIENTS, false);
        return plusPlus ? "zeropp" : "zero3-0.11";
    }

    private static void contributeBuckets(ForeignFile file, Draft draft, long stage) {
        for (Bucket bucket : BUCKETS) {
            String key = ZERO + bucket.theirs();
            Long elements = file.whole(key, 0, MOST);
            if (!bucket.stages().contains(stage)) {
                unread(file, key, stage);
                continue;
            }
            draft.give("strategy." + bucket.ours(), elements, file.key(key));
            if (file.isAuto(key)) {
                draft.afterwards(done -> fromWidth(file.key(key), bucket.ours(), done));
            }
        }
        for (Bucket flag : FLAGS) {
            String key = ZERO + flag.theirs();
            Boolean value = file.flag(key);
            if (flag.stages().contains(stage)) {
                draft.give("strategy." + flag.ours(), value, file.key(key));
            } else if (stage > 0 && flag.theirs().startsWith("contiguous")) {
                file.judge(
                        key,
                        Verdict.APPROXIMATED,
                        "memory of gradients in backward is that of zero" + stage + " either way");
            } else {
                unread(file, key, stage);
            }
        }
        contributeFormat(file, draft, stage);
        if (ONE_AND_TWO.contains(stage)) {
            draft.byDefault("strategy.use_multi_rank_bucket_allreduce", true, "DeepSpeed's default since 0.12.4");
        }
        if (stage < 3) {
            List.of(MICS, HPZ, QUANTIZED_WEIGHTS, QUANTIZED_GRADIENTS).forEach(key -> unread(file, key, stage));
        }
    }

    /** Reads the format in which gradients travel: FP32, or the model's where nothing else is written. */
    private static void contributeFormat(ForeignFile file, Draft draft, long stage) {
        String format = file.choice(FORMAT, FORMATS);
        if (format == null) {
            return;
        }
        if (ONE_AND_TWO.contains(stage)) {
            draft.give("strategy.reduce_in_fp32", format.equals("fp32"), file.key(FORMAT));
        } else {
            file.judge(
                    FORMAT,
                    Verdict.NOT_MODELLED,
                    "gradients reduced in a format other than training.precision; changes network time");
        }
    }

    private static void unread(ForeignFile file, String key, long stage) {
        file.judge(key, Verdict.IRRELEVANT, "stage " + stage + " does not read it");
    }

    /** Hugging Face's formulas for {@code auto} bucket sizes. */
    private static void fromWidth(@Nullable ForeignKey key, String ours, Draft draft) {
        Long hidden = draft.whole("model.hidden");
        if (key == null) {
            return;
        }
        Long value = hidden == null
                ? null
                : switch (ours) {
                    case "reduce_bucket_size" -> hidden * hidden;
                    case "prefetch_bucket_size" -> (long) (0.9 * hidden * hidden);
                    case "param_persistence_threshold" -> 10 * hidden;
                    default -> null;
                };
        if (value == null) {
            key.judge(
                    Verdict.APPROXIMATED,
                    hidden == null
                            ? "auto depends on the model width; pass its config.json. DeepSpeed's default is used"
                            : "auto has no rule for this key; DeepSpeed's default is used");
        } else {
            draft.give("strategy." + ours, value, key);
            key.judge(Verdict.MODELLED, "strategy." + ours + " " + value + ", from hidden " + hidden);
        }
    }

    private static void contributeOffload(ForeignFile file, Draft draft, long stage) {
        offload(file, draft, OFFLOADED_OPTIMIZER, "strategy.offload_optimizer");
        draft.giveIf(file, ZERO + "cpu_offload", "strategy.offload_optimizer", true);
        if (stage == 3) {
            offload(file, draft, OFFLOADED_PARAMETERS, "strategy.offload_parameters");
            draft.giveIf(file, ZERO + "cpu_offload_params", "strategy.offload_parameters", true);
            draft.giveIf(file, ZERO + "cpu_offload_param", "strategy.offload_parameters", true);
        } else {
            List.of("offload_param.", "cpu_offload_param")
                    .forEach(key -> file.ignore(ZERO + key, "stage " + stage + " does not read it"));
        }
    }

    static void offload(ForeignFile file, Draft draft, String key, String name) {
        String device = file.choice(key, List.of("none", "cpu", "nvme"));
        if (device == null) {
            return;
        }
        draft.give(name, !device.equals("none"), file.key(key));
        if (device.equals("nvme")) {
            file.judge(
                    key,
                    Verdict.DECIDES_THE_ANSWER,
                    name + " keeps them in host memory; NVMe is slower and needs less host memory");
        } else if (device.equals("none") && key.endsWith(".device")) {
            String block = key.substring(0, key.lastIndexOf('.') + 1);
            file.keys().stream()
                    .filter(each ->
                            each.path().startsWith(block) && !each.path().equals(key))
                    .forEach(each -> each.judge(Verdict.IRRELEVANT, "nothing is offloaded"));
        }
    }

    private static void contributeQuantization(ForeignFile file, Draft draft) {
        Long secondary = file.whole(HPZ, 0, 65_536);
        draft.giveOr("strategy.secondary_shard_group", secondary != null && secondary > 1, file.key(HPZ), DEFAULT);
        flag(file, draft, QUANTIZED_WEIGHTS, "strategy.quantized_weights");
        flag(file, draft, QUANTIZED_GRADIENTS, "strategy.quantized_gradients");
        if (secondary != null && secondary > 1) {
            draft.afterwards(done -> {
                long node = done.whole(Draft.GPUS_PER_NODE, 8);
                if (secondary != node) {
                    file.judge(
                            HPZ,
                            Verdict.APPROXIMATED,
                            "strategy.secondary_shard_group is a node of " + node + " GPUs, not " + secondary
                                    + " ranks");
                }
            });
        }
    }

    private static void flag(ForeignFile file, Draft draft, String key, String name) {
        draft.giveOr(name, file.flag(key, false), file.key(key), DEFAULT);
    }

    private static void contributeMics(ForeignFile file, Draft draft) {
        draft.giveWhole(file, MICS, "strategy.shard_group", -1, 65_536);
        flag(file, draft, ZERO + "mics_hierarchical_params_gather", "strategy.hierarchical_all_gather");
        draft.byDefault("strategy.prefetch_bucket_size", 50_000_000L, DEFAULT);
        draft.byDefault("strategy.param_persistence_threshold", 100_000L, DEFAULT);
        draft.byDefault("strategy.contiguous_gradients", true, DEFAULT);
        draft.byDefault("strategy.host_time_per_module", "330 us", "as in zero3-0.11");
        for (String key : List.of(HPZ, QUANTIZED_WEIGHTS, QUANTIZED_GRADIENTS)) {
            file.judge(key, Verdict.NOT_MODELLED, "ZeRO++ with MiCS");
        }
    }

    /** If DeepSpeed's file names an optimizer, the Trainer uses DeepSpeed's. */
    private static void ownOptimizer(Draft draft, @Nullable ForeignKey key) {
        Fact fact = draft.fact(Draft.PROFILE);
        if (fact != null && fact.rank() == Fact.Rank.DEFAULT && fact.value().equals("deepspeed-accelerate")) {
            draft.give(Draft.PROFILE, "deepspeed-hf", key);
        }
    }

    /** Reads the kernels and the optimizer. */
    private static void contributeOptimizer(ForeignFile file, Draft draft, String kind) {
        String type = file.text("optimizer.type");
        boolean torch = file.flag("optimizer.params.torch_adam", false);
        if (torch) {
            draft.give(Draft.PROFILE, "deepspeed-accelerate", file.key("optimizer.params.torch_adam"));
        } else if (kind.equals("ddp") || kind.equals("mics")) {
            draft.byDefault(Draft.PROFILE, "deepspeed-hf", "DeepSpeed's kernels");
        }
        if (type != null && !torch) {
            draft.afterwards(done -> ownOptimizer(done, file.key("optimizer.type")));
        }
        OptimizerName.contribute(file, draft, "optimizer.type", file.decimal("optimizer.params.momentum", 0, 1));
    }
}
