package io.shardsim.scenarios.explaining;

import java.util.Set;

/** Why two runs may differ: what a change of one of its settings is about. */
enum Cause {
    /** What is trained: the model, the batch, the sequence. */
    MODEL("model and batch", Set.of("model", "training.sequence_length", "training.global_batch")),
    /** How many nodes, and which GPUs. */
    CLUSTER("cluster", Set.of()),
    /** What carries data between GPUs: NVLink, PCIe, NICs, the fabric, the collective library. */
    NETWORK(
            "network",
            Set.of(
                    "cluster.nics_per_node",
                    "cluster.pcie_switches",
                    "cluster.nodes_per_leaf",
                    "cluster.oversubscription",
                    "cluster.hop_latency",
                    "cluster.network",
                    "cluster.gpu_direct",
                    "cluster.slow_nic",
                    "faults.slow_nic",
                    "faults.lost_nic",
                    "faults.spine_neighbour")),
    /** How states are sharded and what moves when. */
    SHARDING("sharding", Set.of()),
    /** What the GPUs compute with: kernels, attention, precision. */
    KERNELS(
            "kernels",
            Set.of(
                    "training.precision",
                    "training.attention",
                    "training.kernels",
                    "training.dropout",
                    "training.gradient_clipping",
                    "strategy.framework_profile")),
    /** What memory leaves no choice about: the micro-batch, recomputation, offload of activations. */
    MEMORY(
            "memory",
            Set.of(
                    "training.micro_batch",
                    "training.activation_checkpointing",
                    "training.checkpointed_layers",
                    "training.activation_offload")),
    /** Nothing of the step: storage, checkpoints, price. */
    AROUND("around the step", Set.of("cluster.price"));

    private final String words;
    private final Set<String> keys;

    Cause(String words, Set<String> keys) {
        this.words = words;
        this.keys = keys;
    }

    String words() {
        return words;
    }

    /** What a setting is about. */
    static Cause of(String path) {
        for (Cause cause : values()) {
            if (cause.keys.contains(path)) {
                return cause;
            }
        }
        if (path.startsWith("model.") || path.startsWith("lora.")) {
            return MODEL;
        }
        if (path.startsWith("strategy.")) {
            return SHARDING;
        }
        if (path.startsWith("collectives.") || path.matches("cluster\\.(intra_node|pcie|nic)(_.*)?")) {
            return NETWORK;
        }
        return path.startsWith("cluster.") || path.startsWith("faults.") ? CLUSTER : AROUND;
    }
}
