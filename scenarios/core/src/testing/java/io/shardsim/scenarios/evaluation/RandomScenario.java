package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A small scenario drawn from a seed: any instance or a node written out, slow NICs, shared leaves, every strategy with its switches, models split by
 * tensors and stages, offload, forced chunks, bare collectives. It may ask for what cannot be; then reading it says so.
 */
public final class RandomScenario {
    private static final List<String> KINDS = List.of(
            "ddp",
            "fsdp",
            "fsdp-grad-op",
            "fsdp-hybrid",
            "fsdp2",
            "megatron",
            "megatron-core",
            "mics",
            "smddp",
            "zero1",
            "zero2",
            "zero3",
            "zero3-0.11",
            "zeropp");

    private final SplittableRandom random;
    /** For settings that came later, so that a seed draws of the others what it always drew. */
    private final SplittableRandom later;

    private final StringBuilder text = new StringBuilder("scenario: random\n");
    private int ranks;
    private int context;

    private RandomScenario(long seed) {
        random = new SplittableRandom(seed);
        later = new SplittableRandom(~seed);
    }

    public static String text(long seed) {
        return new RandomScenario(seed).write();
    }

    /** The scenario's point; empty where it asks for what cannot be. */
    static Optional<ScenarioPoint> point(long seed) {
        try {
            return Optional.of(
                    ScenarioReader.readText("random", text(seed)).points().get(0));
        } catch (InputException refused) {
            return Optional.empty();
        }
    }

    /** True once in so many times. */
    private boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    private String pick(String... values) {
        return values[random.nextInt(values.length)];
    }

    private void maybe(int times, String key, String... values) {
        if (oneIn(times)) {
            text.append(", ").append(key).append(": ").append(pick(values));
        }
    }

    private String write() {
        cluster();
        if (oneIn(8)) {
            text.append("workload: {collective: ")
                    .append(pick("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"))
                    .append(", size: ")
                    .append(pick("100 KiB", "3 MiB", "20 MB"))
                    .append("}\n");
        } else {
            int layers = 2 + random.nextInt(9);
            text.append("model: {hidden: ")
                    .append(pick("256", "512", "1024"))
                    .append(", layers: ")
                    .append(layers)
                    .append(", heads: 16, vocab: ")
                    .append(pick("4096", "32000"));
            maybe(4, "gated_ffn", "true");
            if (text.indexOf("gated_ffn") > 0 && later.nextInt(2) == 0) {
                text.append(", sliding_window: 64, full_attention_period: ").append(1 + later.nextInt(3));
            }
            text.append("}\n");
            int replicas = strategy();
            training(replicas);
        }
        if (oneIn(4)) {
            text.append("collectives: {library: ").append(pick("nccl", "nccl", "smddp"));
            maybe(2, "chunk", "100 KiB", "256 KiB", "1 MiB");
            text.append("}\n");
        }
        // Volta has neither.
        return text.indexOf("p3dn") < 0
                ? text.toString()
                : text.toString().replace("precision: bf16", "precision: fp16").replace(", attention: flash", "");
    }

    private void cluster() {
        int gpus = 8;
        text.append("cluster: {");
        if (oneIn(4)) {
            gpus = 1 + random.nextInt(4);
            text.append("gpu: a100-80gb, gpus_per_node: ")
                    .append(gpus)
                    .append(", intra_node: 300 GB/s, nics_per_node: 1");
            text.append(", nic: ").append(pick("10", "100")).append(" Gbit/s");
            maybe(3, "intra_node_links", "mesh", "cube_mesh");
        } else {
            text.append("instance: ").append(pick("p4d.24xlarge", "p4d.24xlarge", "p5.48xlarge", "p3dn.24xlarge"));
            maybe(3, "nic", "5 Gbit/s", "77 Gbit/s");
            maybe(8, "gpu_direct", "false");
        }
        int nodes = 1 + random.nextInt(4);
        ranks = nodes * gpus;
        text.append(", nodes: ").append(nodes);
        maybe(4, "nodes_per_leaf", "2", "3");
        maybe(3, "fabric", "rail_optimized", "fat_tree", "torus", "dragonfly");
        maybe(5, "oversubscription", "2", "3.5");
        maybe(6, "nic_per_message", "3 us");
        text.append("}\n");
    }

    /** Returns how many replicas of the model there are. */
    private int strategy() {
        String kind = KINDS.get(random.nextInt(KINDS.size()));
        text.append("strategy: {kind: ").append(kind);
        int tensor = kind.equals("zeropp") || kind.equals("smddp") ? 1 : split("tensor_parallel");
        if (tensor > 1) {
            boolean overlaps = kind.equals("megatron-core") || kind.startsWith("fsdp");
            maybe(2, "sequence_parallel", "true", overlaps ? "true, overlap_tensor_exchange: true" : "true");
            if (kind.startsWith("fsdp")) {
                maybe(3, "exchange_by_projection", "true");
            }
        }
        int stages = 1;
        context = 1;
        switch (kind) {
            case "megatron", "megatron-core", "ddp", "zero1" -> {
                ranks /= tensor;
                context = kind.equals("megatron-core") ? split("context_parallel") : 1;
                ranks /= context;
                stages = split("pipeline_parallel");
                ranks *= tensor * context;
                if (stages > 1) {
                    maybe(1, "pipeline_schedule", "simple", "1f1b", "interleaved, model_chunks: 2");
                }
            }
            case "mics", "fsdp-hybrid", "fsdp2" -> maybe(1, "shard_group", String.valueOf(divisor(ranks / tensor)));
            default -> {}
        }
        switch (kind) {
            case "mics" -> {
                maybe(3, "hierarchical_all_gather", "false");
                maybe(3, "two_hop_gradient_sync", "false");
                maybe(3, "coalesced_gathers", "false");
            }
            case "megatron-core" -> {
                maybe(1, "overlap_grad_reduce", "false", "true", "true, overlap_param_gather: true");
                maybe(2, "bucket_size", "1000000 elements");
            }
            case "zero1", "zero2" -> {
                maybe(3, "offload_optimizer", "true");
                maybe(2, "overlap_comm", "true");
                maybe(2, "reduce_bucket_size", "1000000 elements");
            }
            case "zero3" -> maybe(3, "offload_optimizer", "true", "true, offload_parameters: true");
            default -> {}
        }
        if (kind.equals("mics") || kind.startsWith("zero3") || kind.equals("zeropp")) {
            maybe(2, "prefetch_bucket_size", "0 elements", "2000000 elements");
            maybe(2, "max_live_parameters", "5000000 elements");
            maybe(2, "reduce_bucket_size", "3000000 elements", "7000000 elements");
        }
        text.append("}\n");
        return ranks / tensor / context / stages;
    }

    private int split(String key) {
        int ways = oneIn(3) ? divisor(ranks) : 1;
        if (ways > 1) {
            text.append(", ").append(key).append(": ").append(ways);
        }
        return ways;
    }

    private int divisor(int of) {
        List<Integer> divisors = new ArrayList<>();
        for (int i = 1; i <= Math.min(of, 16); i++) {
            if (of % i == 0) {
                divisors.add(i);
            }
        }
        return divisors.get(random.nextInt(divisors.size()));
    }

    private void training(int replicas) {
        int micro = 1 + random.nextInt(2);
        int accumulation = oneIn(3) ? 12 : 1 + random.nextInt(3);
        text.append("training: {sequence_length: ")
                .append(pick("128", "512"))
                .append(", global_batch: ")
                .append(replicas * micro * accumulation)
                .append(", micro_batch: ")
                .append(micro);
        maybe(2, "precision", "bf16", "fp16", "fp32");
        if (later.nextInt(4) == 0) {
            // Muon runs with few of the kinds.
            List<String> optimizers = Optimizer.names().stream()
                    .filter(name -> !name.equals("muon"))
                    .toList();
            text.append(", optimizer: ").append(optimizers.get(later.nextInt(optimizers.size())));
        }
        maybe(2, "activation_checkpointing", "none", "selective", "full");
        maybe(4, "activation_offload", "true");
        if (context > 1) {
            text.append(", attention: flash");
        } else {
            maybe(3, "attention", "flash");
        }
        text.append("}\n");
    }
}
