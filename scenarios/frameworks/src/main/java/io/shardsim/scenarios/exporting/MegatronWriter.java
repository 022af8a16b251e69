package io.shardsim.scenarios.exporting;

import io.shardsim.simulator.workload.Recomputed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A shell script that starts Megatron-LM's {@code pretrain_gpt.py} on a node, with mock data unless replaced. */
final class MegatronWriter extends FrameworkWriter {
    MegatronWriter() {
        super("megatron");
    }

    @Override
    String remedy(String kind) {
        return kind.startsWith("fsdp")
                ? "write fsdp, or plan with strategy.kind: [megatron-core]"
                : "write deepspeed or smp, or plan with strategy.kind: [megatron-core]";
    }

    @Override
    @Nullable
    String refusal(Settings settings) {
        int stages = settings.job().parallel().stages();
        if (settings.whole("model.layers") % stages != 0) {
            return "it needs layers (" + settings.text("model.layers") + ") that " + stages
                    + " stages share evenly; plan with another strategy.pipeline_parallel";
        }
        return null;
    }

    @Override
    List<WrittenFile> files(Settings settings, String instance) {
        ForeignBlock launcher = new ForeignBlock("megatron", settings)
                .carry("nnodes")
                .put("nproc-per-node", settings.whole(Settings.GPUS_PER_NODE))
                .put("node-rank", "\"${NODE_RANK:-0}\"")
                .put("master-addr", "\"${MASTER_ADDR:-localhost}\"")
                .put("master-port", "\"${MASTER_PORT:-29500}\"");
        ForeignBlock script = new ForeignBlock("megatron", settings);
        model(script, settings);
        training(script, settings);
        optimizer(script, settings);
        checkpointing(script, settings);
        strategy(script, settings);
        script.put("lr", "1e-4").put("train-iters", 100).put("mock-data", true);
        String text = "#!/usr/bin/env bash\n"
                + "# " + settings.scenario()
                + ", written by shardsim. Run it on each node in a clone of NVIDIA/Megatron-LM.\n# --mock-data "
                + "trains on mock tokens: replace it and the tokenizer with yours.\nset -euo "
                + "pipefail\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n\ntorchrun" + arguments(launcher)
                + " \\\n  pretrain_gpt.py" + arguments(script) + "\n";
        return List.of(new WrittenFile("train.sh", text));
    }

    private static String arguments(ForeignBlock block) {
        StringBuilder text = new StringBuilder();
        block.tree().forEach((name, value) -> {
            if (!Boolean.FALSE.equals(value)) {
                text.append(" \\\n  --").append(name).append(Boolean.TRUE.equals(value) ? "" : " " + value);
            }
        });
        return text.toString();
    }

    private static void model(ForeignBlock script, Settings settings) {
        script.carry("num-layers", "hidden-size", "ffn-hidden-size", "num-attention-heads");
        if (settings.whole("model.kv_heads") < settings.whole("model.heads")) {
            script.put("group-query-attention", true).put("num-query-groups", settings.whole("model.kv_heads"));
        }
        if (settings.ownHeadWidth()) {
            script.carry("kv-channels");
        }
        if (settings.whole("model.experts") > 1) {
            script.carry("num-experts", "moe-router-topk", "moe-ffn-hidden-size", "moe-expert-capacity-factor")
                    .put("moe-pad-expert-input-to-capacity", settings.is("training.capacity_policy", "pad"))
                    .put("moe-grouped-gemm", true);
            if (settings.whole("model.shared_expert_ffn") > 0) {
                script.carry("moe-shared-expert-intermediate-size");
            }
        }
        boolean gated = settings.is("model.gated_ffn");
        if (gated) {
            script.put("swiglu", true).put("normalization", "RMSNorm").put("disable-bias-linear", true);
        }
        script.put("qk-layernorm", settings.is("model.qk_norm"))
                .put("untie-embeddings-and-output-weights", !settings.is("model.tied_embeddings"));
        boolean learned = settings.whole("model.max_positions") > 0;
        script.put("position-embedding-type", learned ? "learned_absolute" : "rope")
                .put("max-position-embeddings", settings.whole(learned ? "model.max_positions" : Settings.SEQUENCE))
                .put("tokenizer-type", "NullTokenizer")
                .carry("vocab-size");
        String dropout = settings.is(Settings.DROPOUT) ? "0.1" : "0.0";
        script.put("hidden-dropout", dropout).put("attention-dropout", dropout);
    }

    private static void training(ForeignBlock script, Settings settings) {
        script.carry("seq-length", "micro-batch-size", "global-batch-size", "clip-grad");
        if (!settings.is(Settings.PRECISION, "fp32")) {
            script.put(settings.is(Settings.PRECISION, "fp16") ? "fp16" : "bf16", true);
        }
        String recipe = settings.text("training.fp8_recipe");
        if ("nvfp4".equals(recipe)) {
            script.put("fp4-format", "e2m1").put("fp4-recipe", recipe);
        } else if (recipe != null) {
            boolean hybrid = recipe.equals("delayed") || recipe.equals("current");
            script.put("fp8-format", hybrid ? "hybrid" : "e4m3");
            script.put("fp8-recipe", recipe.equals("current") ? "tensorwise" : recipe);
        }
        script.put("attention-backend", settings.is(Settings.ATTENTION, "flash") ? "flash" : "unfused");
    }

    private static void optimizer(ForeignBlock script, Settings settings) {
        if (settings.is(Settings.OPTIMIZER, "adamw-bf16-moments")) {
            script.put("use-precision-aware-optimizer", true)
                    .put("exp-avg-dtype", "bf16")
                    .put("exp-avg-sq-dtype", "bf16");
        } else if (settings.is(Settings.OPTIMIZER, "sgd-momentum")) {
            script.put("optimizer", "sgd");
        }
    }

    /** The uniform method recomputes all layers, the block method a number of layers per stage. */
    private static void checkpointing(ForeignBlock script, Settings settings) {
        boolean selective = settings.is(Settings.CHECKPOINTING, "selective");
        if (settings.is(Settings.CHECKPOINTING, "none")) {
            return;
        }
        script.put("recompute-granularity", selective ? "selective" : "full");
        List<String> modules = settings.job().kept().recomputed().modules();
        if (selective && !modules.equals(Recomputed.CORE_ATTENTION.modules())) {
            script.put("recompute-modules", String.join(" ", modules));
        }
        if (!selective) {
            long layers = settings.whole(Settings.CHECKPOINTED_LAYERS);
            int stages = settings.job().parallel().stages();
            boolean all = layers == settings.whole("model.layers");
            script.put("recompute-method", all ? "uniform" : "block")
                    .put("recompute-num-layers", all ? 1 : Math.max(1, layers / stages));
        }
    }

    private static void strategy(ForeignBlock script, Settings settings) {
        script.put("use-distributed-optimizer", settings.kind().equals("megatron-core"))
                .carry("tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size");
        if (settings.whole("strategy.tensor_parallel") > 1) {
            script.carry("sequence-parallel");
        }
        if (settings.job().parallel().experts() > 1) {
            String dispatcher = "strategy.expert_dispatcher";
            script.carry(
                            "expert-model-parallel-size",
                            "expert-tensor-parallel-size",
                            "overlap-moe-expert-parallel-comm")
                    .put(
                            "moe-token-dispatcher-type",
                            settings.is(dispatcher, "deepep") ? "flex" : settings.text(dispatcher));
        }
        if (settings.is("strategy.pipeline_schedule", "interleaved")) {
            script.put("num-virtual-stages-per-pipeline-rank", settings.whole("strategy.model_chunks"));
        }
        script.carry("overlap-grad-reduce", "overlap-param-gather", "tp-comm-overlap", "fp8-param-gather");
        if (settings.whole("strategy.bucket_size") > 0) {
            script.carry("ddp-bucket-size");
        }
        // This flag is the negation of the scenario's key.
        String fusion = "no-gradient-accumulation-fusion";
        script.put(fusion, Boolean.FALSE.equals(script.carried(fusion)));
        boolean single = settings.is("strategy.gradients_in_fp32");
        script.put("accumulate-allreduce-grads-in-fp32", single)
                .put("grad-reduce-in-bf16", !single && settings.is(Settings.PRECISION, "bf16"));
    }

    @Override
    String launch(Settings settings) {
        return "bash train.sh";
    }

    @Override
    List<String> notes(Settings settings) {
        return List.of("Set MASTER_ADDR, MASTER_PORT and NODE_RANK on each of several nodes.");
    }
}
