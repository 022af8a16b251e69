package io.shardsim.scenarios.explaining;

import io.shardsim.reports.KnownSetting;
import java.util.Locale;

/** The cause of a difference between two runs, by the setting that changed. */
enum Cause {
    /** The model, the batch, the sequence. */
    MODEL("model and batch"),
    /** Number of nodes, and which GPUs. */
    CLUSTER("cluster"),
    /** Hardware and libraries that carry data between GPUs: NVLink, PCIe, NICs, the fabric, the collective library. */
    NETWORK("network"),
    /** How states are sharded, and the communication that follows. */
    SHARDING("sharding"),
    /** Compute on the GPUs: kernels, attention, precision. */
    KERNELS("kernels"),
    /** Settings forced by memory: the micro-batch, recomputation, activation offload. */
    MEMORY("memory"),
    /** Outside the step: storage, checkpoints, price. */
    AROUND("outside the step");

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** Returns the cause of a setting, from the table of settings or else from its block. */
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
