package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.importing.TorchtitanConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TOML file of {@code torchtitan.train}; its models have names and flavors [1].
 *
 * <p>[1] pytorch/torchtitan @238fa995, torchtitan/config/job_config.py.
 */
final class TorchtitanWriter extends FrameworkWriter {
    private static final String FILE = "train.toml";
    private static final String SPLIT = "parallelism.";
    private static final String FLOAT8 = "torchtitan-float8";

    TorchtitanWriter() {
        super("torchtitan");
    }

    @Override
    String remedy(String kind) {
        return kind.startsWith("fsdp")
                ? "write fsdp, or plan with strategy.kind: [fsdp2]"
                : "plan with strategy.kind: [fsdp2]";
    }

    @Override
    @Nullable
    String refusal(Settings settings) {
        if (nameOf(settings.task().model()).isEmpty()) {
            return "none of its model flavors matches; write fsdp, or train one of "
                    + String.join(", ", table().models().values());
        }
        return settings.is(Settings.PRECISION, "fp16") ? "it has no fp16; set training.precision to bf16" : null;
    }

    @Override
    List<WrittenFile> files(Settings settings, String instance) {
        ForeignBlock file = new ForeignBlock("torchtitan", settings);
        String[] model = nameOf(settings.task().model()).orElseThrow().split(" ", 2);
        file.put("model.name", model[0]).put("model.flavor", model[1]);
        if (settings.is(Settings.KERNELS, FLOAT8)) {
            file.put("model.converters", List.of("float8"));
        }
        file.put("optimizer.name", "AdamW").put("optimizer.lr", 3e-4);
        training(file, settings);
        parallelism(file, settings);
        String kernels = String.valueOf(settings.text(Settings.KERNELS));
        file.put("compile.enable", kernels.endsWith("-compile") || kernels.equals(FLOAT8));
        checkpointing(file, settings);
        return List.of(new WrittenFile(FILE, Texts.toml(file.tree(), "")));
    }

    /** A pipeline splits the samples of a rank into micro-batches. */
    private static void training(ForeignBlock file, Settings settings) {
        boolean stages = settings.job().parallel().stages() > 1;
        file.put("training.dataset", "c4")
                .put("training.steps", 100)
                .carry("training.seq_len", "training.global_batch_size")
                .put("training.max_norm", Double.valueOf(String.valueOf(settings.text(Settings.CLIPPING))));
        if (stages) {
            file.put(
                            "training.local_batch_size",
                            settings.whole("training.micro_batch")
                                    * settings.job().accumulationSteps())
                    .carry(SPLIT + "pipeline_parallel_microbatch_size");
        } else {
            file.carry("training.local_batch_size");
        }
        if (settings.is(Settings.PRECISION, "bf16_pure")) {
            file.put("training.dtype", "bfloat16");
        } else {
            file.put(
                    "training.mixed_precision_param", settings.is(Settings.PRECISION, "fp32") ? "float32" : "bfloat16");
        }
    }

    /** States are also sharded over context-parallel ranks, which are a separate dimension of the mesh. */
    private static void parallelism(ForeignBlock file, Settings settings) {
        long ranks = settings.job().dataParallel();
        boolean sharded = settings.kind().equals("fsdp2");
        long group = sharded ? settings.whole("strategy.shard_group") : 1;
        long context = Math.max(1, settings.whole("strategy.context_parallel"));
        file.put(SPLIT + "data_parallel_replicate_degree", ranks / group)
                .put(SPLIT + "data_parallel_shard_degree", Math.max(1, group / context));
        if (sharded) {
            file.put(
                    SPLIT + "fsdp_reshard_after_forward",
                    settings.is("strategy.reshard_after_forward") ? "always" : "never");
        }
        if (settings.whole("strategy.tensor_parallel") > 1) {
            file.carry(SPLIT + "tensor_parallel_degree", SPLIT + "enable_async_tensor_parallel")
                    .put(SPLIT + "disable_loss_parallel", settings.is("strategy.gather_logits"));
        }
        if (context > 1) {
            file.carry(SPLIT + "context_parallel_degree")
                    .put(
                            SPLIT + "context_parallel_rotate_method",
                            settings.is("strategy.gather_keys_values") ? "allgather" : "alltoall");
        }
        if (settings.whole("strategy.expert_parallel") > 1) {
            file.carry(SPLIT + "expert_parallel_degree");
        }
        if (settings.job().parallel().stages() > 1) {
            file.carry(SPLIT + "pipeline_parallel_degree")
                    .put(
                            SPLIT + "pipeline_parallel_schedule",
                            TorchtitanConfig.SCHEDULES.get(settings.text("strategy.pipeline_schedule")));
        }
    }

    private static void checkpointing(ForeignBlock file, Settings settings) {
        String mode = "activation_checkpoint.mode";
        String option = "activation_checkpoint.selective_ac_option";
        long layers = settings.whole("model.layers");
        long saved = Math.max(1, settings.whole(Settings.CHECKPOINTED_LAYERS));
        if (settings.is(Settings.CHECKPOINTING, "none")) {
            file.put(mode, "none");
        } else if (settings.is(Settings.CHECKPOINTING, "operator")) {
            file.put(mode, "selective").put(option, "op");
        } else if (saved < layers) {
            file.put(mode, "selective").put(option, String.valueOf(layers / saved));
        } else {
            file.put(mode, "full");
        }
    }

    @Override
    String launch(Settings settings) {
        return TrainerFiles.torchrun(settings, "-m torchtitan.train --job.config_file " + FILE);
    }

    @Override
    List<String> notes(Settings settings) {
        return List.of(
                "Set model.hf_assets_path to the tokenizer of your model. It runs in torchtitan of 2025-08 to 2026-02.");
    }
}
