package io.shardsim.scenarios.exporting;

import io.shardsim.simulator.compute.Optimizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A small training drawn from a seed, of a kind that a framework runs: with settings that the framework carries, or with any. */
final class RandomTraining {
    private final SplittableRandom random;
    private final Framework framework;
    private final boolean carried;
    private final Map<String, String> model = new LinkedHashMap<>();
    private final Map<String, String> training = new LinkedHashMap<>();
    private final Map<String, String> strategy = new LinkedHashMap<>();
    private int nodes;
    private int gpus = 8;
    private int tensor = 1;
    private int ranksOfReplica = 1;

    private RandomTraining(Framework framework, long seed, boolean carried) {
        this.framework = framework;
        this.carried = carried;
        random = new SplittableRandom(seed);
    }

    /**
     * The scenario's file; it may ask for what cannot be.
     *
     * @param carried whether the framework's files can say all of it
     */
    static String text(Framework framework, long seed, boolean carried) {
        return new RandomTraining(framework, seed, carried).write();
    }

    private boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    private String pick(String... values) {
        return values[random.nextInt(values.length)];
    }

    private void maybe(Map<String, String> block, String key, String... values) {
        if (oneIn(2)) {
            block.put(key, pick(values));
        }
    }

    private String write() {
        nodes = 1 + random.nextInt(4);
        List<String> kinds = new ArrayList<>(framework.kinds());
        if (carried) {
            kinds.removeAll(framework == Framework.DEEPSPEED ? List.of("zero3", "mics") : List.of());
        }
        String kind = kinds.get(random.nextInt(kinds.size()));
        String instance = framework == Framework.MEGATRON ? pick("p4d.24xlarge", "p5.48xlarge") : "p4d.24xlarge";
        if (framework == Framework.MEGATRON && oneIn(4)) {
            gpus = 4;
        }
        strategy.put("kind", kind);
        model();
        training();
        strategy(kind);
        if (framework != Framework.SMP
                && !(carried && framework == Framework.TORCHTITAN)
                && !strategy.containsKey("offload_optimizer")) {
            maybe(training, "optimizer", optimizers());
            if (framework == Framework.DEEPSPEED && training.containsKey("optimizer")) {
                strategy.put("framework_profile", "deepspeed-accelerate");
            }
        }
        if (!carried) {
            anything(kind);
        }
        int micro = 1 + random.nextInt(2);
        training.put("micro_batch", String.valueOf(micro));
        int replicas = Math.max(1, nodes * gpus / ranksOfReplica);
        training.put("global_batch", String.valueOf(replicas * micro * (1 + random.nextInt(3))));
        return "scenario: random\nmodel: "
                + (framework == Framework.TORCHTITAN ? pick("llama3-8b", "qwen3-8b") : block(model))
                + "\ncluster: {instance: " + instance + ", nodes: " + nodes
                + (gpus == 8 ? "" : ", gpus_per_node: " + gpus + ", pcie_switches: 4") + "}\ntraining: "
                + block(training)
                + "\nstrategy: " + block(strategy) + "\n";
    }

    private static String block(Map<String, String> block) {
        return block.toString().replace("=", ": ");
    }

    private void model() {
        boolean gated = oneIn(2);
        model.put("hidden", pick("256", "512"));
        model.put("layers", pick("4", "8"));
        model.put("heads", "8");
        model.put("vocab", pick("4096", "32000"));
        if (gated) {
            model.put("gated_ffn", "true");
            maybe(model, "ffn", "704", "1024");
            maybe(model, "kv_heads", "2", "8");
            maybe(model, "qk_norm", "true");
            maybe(model, "head_dim", "32", "128");
            if (oneIn(4)) {
                model.put("experts", pick("4", "16"));
                maybe(model, "experts_per_token", "1", "4");
                maybe(model, "expert_ffn", "320");
                if (!model.containsKey("qk_norm")) {
                    maybe(model, "shared_expert_ffn", "320");
                }
            }
        } else {
            maybe(model, "max_positions", "1024");
            if (oneIn(3)) {
                model.put("max_positions", "0");
                maybe(model, "kv_heads", "4");
            }
        }
        maybe(model, "tied_embeddings", "true", "false");
    }

    private void training() {
        training.put("sequence_length", pick("128", "512"));
        training.put("precision", pick("bf16", "fp16", "fp32"));
        boolean single = training.get("precision").equals("fp32");
        training.put("attention", single ? "standard" : pick("standard", "flash"));
        training.put("activation_checkpointing", pick("none", "full"));
        maybe(training, "dropout", "true", "false");
        maybe(training, "gradient_clipping", "0", "0.5", "1");
    }

    private String[] optimizers() {
        String[] all = Optimizer.names().toArray(String[]::new);
        String[] ofMegatron = {"adamw-bf16-moments", "sgd-momentum"};
        String[] ofTrainer = {"adamw-8bit", "adafactor", "lion", "lion-8bit", "sgd"};
        return !carried ? all : framework == Framework.MEGATRON ? ofMegatron : ofTrainer;
    }

    private void split(int most) {
        tensor = oneIn(2) ? 2 : 1;
        if (tensor > 1 && tensor <= most) {
            strategy.put("tensor_parallel", "2");
            ranksOfReplica *= 2;
        } else {
            tensor = 1;
        }
    }

    private void shardGroup() {
        int data = nodes * gpus / ranksOfReplica;
        List<String> groups = new ArrayList<>();
        for (int group = 2; group <= data; group++) {
            if (data % group == 0) {
                groups.add(String.valueOf(group));
            }
        }
        maybe(strategy, "shard_group", groups.toArray(String[]::new));
    }

    private void strategy(String kind) {
        switch (framework) {
            case DEEPSPEED -> deepSpeed(kind);
            case FSDP -> fsdp(kind);
            case SMP -> smp(kind);
            case MEGATRON -> megatron(kind);
            case TORCHTITAN -> torchtitan(kind);
        }
    }

    private void deepSpeed(String kind) {
        strategy.put("framework_profile", pick("deepspeed-hf", "deepspeed-accelerate"));
        if (kind.equals("zero1") || kind.equals("zero2")) {
            split(2);
            maybe(strategy, "overlap_comm", "true", "false");
            maybe(strategy, "reduce_bucket_size", "2000000 elements");
            maybe(strategy, "allgather_bucket_size", "3000000 elements");
            maybe(strategy, "use_multi_rank_bucket_allreduce", "true");
            maybe(strategy, "reduce_in_fp32", "true");
            if (model.containsKey("experts") && tensor == 1) {
                maybe(strategy, "expert_parallel", "2");
            }
            if (strategy.containsKey("expert_parallel")) {
                strategy.put("framework_profile", "deepspeed-autoep");
            }
            if (tensor == 1) {
                maybe(strategy, "offload_optimizer", "true");
            }
        } else if (!kind.equals("ddp")) {
            maybe(strategy, "prefetch_bucket_size", "0 elements", "2000000 elements");
            maybe(strategy, "param_persistence_threshold", "1000 elements");
            maybe(strategy, "max_live_parameters", "5000000 elements");
            maybe(strategy, "max_reuse_distance", "5000000 elements");
            maybe(strategy, "reduce_bucket_size", "3000000 elements");
            maybe(strategy, "overlap_comm", "false");
            maybe(strategy, "contiguous_gradients", "false");
        }
        if (kind.startsWith("zero3")) {
            maybe(strategy, "offload_optimizer", "true");
        } else if (kind.equals("zeropp")) {
            maybe(strategy, "quantized_weights", "false");
            maybe(strategy, "quantized_gradients", "false");
        } else if (kind.equals("mics")) {
            shardGroup();
            maybe(strategy, "hierarchical_all_gather", "true", "false");
        }
        if (training.get("activation_checkpointing").equals("full")) {
            maybe(training, "activation_offload", "true");
        }
    }

    private void fsdp(String kind) {
        if (kind.equals("fsdp2")) {
            split(2);
            shardGroup();
        }
        if (!kind.equals("ddp")) {
            maybe(training, "kernels", "compiled", "liger");
        } else {
            strategy.put("bucket_size", "4 MiB");
        }
        if (kind.startsWith("fsdp") && !kind.equals("fsdp2")) {
            maybe(strategy, "reshard_after_forward", "true", "false");
            maybe(strategy, "backward_prefetch", "true", "false");
        } else if (kind.equals("fsdp2")) {
            maybe(strategy, "reshard_after_forward", "true", "false");
        }
        if (kind.equals("fsdp") && training.get("activation_checkpointing").equals("full")) {
            maybe(strategy, "reentrant_checkpoints", "true");
        }
    }

    private void torchtitan(String kind) {
        strategy.put("framework_profile", pick("torchtitan", "torchtitan-compile"));
        training.put("dropout", "false");
        training.put("attention", training.get("precision").equals("fp32") ? "standard" : "flash");
        training.put("precision", training.get("precision").replace("fp16", "bf16_pure"));
        if (kind.equals("fsdp2")) {
            strategy.put("reduce_in_fp32", "true");
            split(2);
            if (tensor > 1) {
                strategy.put("sequence_parallel", "true");
                maybe(strategy, "gather_logits", "true");
                maybe(strategy, "overlap_tensor_exchange", "true");
            }
            shardGroup();
            maybe(strategy, "reshard_after_forward", "true", "false");
        }
        if (oneIn(3)) {
            training.put("activation_checkpointing", "operator");
        }
    }

    private void smp(String kind) {
        switch (kind) {
            case "mics" -> {
                shardGroup();
                if (!strategy.containsKey("shard_group")) {
                    strategy.put("shard_group", String.valueOf(nodes * gpus));
                }
                maybe(strategy, "reduce_bucket_size", "3000000 elements");
                maybe(strategy, "param_persistence_threshold", "1000 elements");
                maybe(strategy, "max_live_parameters", "5000000 elements");
                maybe(strategy, "hierarchical_all_gather", "true", "false");
                maybe(training, "delayed_parameter_initialization", "true", "false");
            }
            case "fsdp-hybrid" -> {
                split(2);
                shardGroup();
            }
            default -> {}
        }
        if (!kind.equals("ddp")
                && !kind.equals("smddp")
                && training.get("activation_checkpointing").equals("full")) {
            maybe(training, "activation_offload", "true");
            maybe(strategy, "activation_loading_horizon", "2 layers");
        }
    }

    private void megatron(String kind) {
        split(2);
        boolean core = kind.equals("megatron-core");
        if (tensor > 1 && core && model.containsKey("experts")) {
            strategy.put("sequence_parallel", "true");
        } else if (tensor > 1) {
            maybe(strategy, "sequence_parallel", "true");
        }
        if (oneIn(3)) {
            strategy.put("pipeline_parallel", "2");
            ranksOfReplica *= 2;
            if (oneIn(2)) {
                strategy.put("pipeline_schedule", "interleaved");
                strategy.put("model_chunks", "2 stages");
            }
        }
        if (core) {
            maybe(strategy, "overlap_grad_reduce", "true");
            if (strategy.containsKey("overlap_grad_reduce")) {
                maybe(strategy, "overlap_param_gather", "true");
            }
            maybe(strategy, "bucket_size", "1000000 elements");
            if (model.containsKey("experts")) {
                maybe(strategy, "expert_parallel", "2");
                maybe(strategy, "expert_tensor_parallel", "2");
            }
            maybe(strategy, "gradient_accumulation_fusion", "false");
        }
        if (training.get("precision").equals("bf16")) {
            strategy.put("gradients_in_fp32", pick("true", "false"));
        } else {
            strategy.put("gradients_in_fp32", "false");
        }
        if (training.get("activation_checkpointing").equals("full")) {
            maybe(training, "checkpointed_layers", "2", "4");
        } else {
            training.put("activation_checkpointing", pick("none", "selective"));
        }
    }

    /** What some framework cannot say. */
    private void anything(String kind) {
        maybe(training, "activation_checkpointing", "selective", "operator");
        maybe(training, "activation_offload", "true");
        maybe(strategy, "fragmentation", "10 %");
        maybe(strategy, "runtime_memory", "2 GB");
        switch (kind) {
            case "fsdp", "fsdp2", "fsdp-grad-op", "fsdp-hybrid" -> {
                maybe(strategy, "reduce_in_fp32", "true");
                maybe(strategy, "limit_all_gathers", "false");
                maybe(strategy, "no_sync", "true");
                if (kind.equals("fsdp-hybrid") && tensor == 1) {
                    shardGroup();
                }
            }
            case "mics" -> {
                maybe(strategy, "two_hop_gradient_sync", "false");
                maybe(strategy, "prefetch_bucket_size", "2000000 elements");
            }
            case "megatron", "megatron-core" -> maybe(strategy, "partition", "balanced");
            default -> maybe(strategy, "reduce_algorithm", "ring");
        }
        maybe(training, "checkpointed_layers", "3");
    }
}
