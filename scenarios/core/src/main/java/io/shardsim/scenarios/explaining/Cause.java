package io.shardsim.scenarios.explaining;

import io.shardsim.reports.KnownSetting;
import java.util.Locale;

/** Why two runs may differ: what a change of one of its settings is about. */
enum Cause {
    /** What is trained: the model, the batch, the sequence. */
    MODEL("model and batch"),
    /** How many nodes, and which GPUs. */
    CLUSTER("cluster"),
    /** What carries data between GPUs: NVLink, PCIe, NICs, the fabric, the collective library. */
    NETWORK("network"),
    /** How states are sharded and what moves when. */
    SHARDING("sharding"),
    /** What the GPUs compute with: kernels, attention, precision. */
    KERNELS("kernels"),
    /** What memory leaves no choice about: the micro-batch, recomputation, offload of activations. */
    MEMORY("memory"),
    /** Nothing of the step: storage, checkpoints, price. */
    AROUND("around the step");

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** What a setting is about: as the table of settings says, else what its block is about. */
    static Cause of(String path) {
        String known = KnownSetting.of(path).cause();
        if (!known.isEmpty()) {
            return valueOf(known.toUpperCase(Locale.ROOT));
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
