package io.shardsim.simulator.collective.nccl;

import java.util.Locale;

/**
 * NCCL's protocol for moving data through a channel (NCCL 2.27.3, src/include/device.h): LL sends a flag with every four bytes, LL128 one with every
 * 120, Simple flags a whole step after a fence.
 */
enum Protocol {
    LL("LL", 2.0, 512, 8),
    LL128("LL128", 128.0 / 120.0, 640, 8),
    SIMPLE("Simple", 1.0, 512, 64);

    private final String id;
    private final double wireRatio;
    private final int threads;
    private final int bytesPerThread;

    Protocol(String id, double wireRatio, int threads, int bytesPerThread) {
        this.id = id;
        this.wireRatio = wireRatio;
        this.threads = threads;
        this.bytesPerThread = bytesPerThread;
    }

    /** Returns the protocol's name, as NCCL_PROTO spells it. */
    String id() {
        return id;
    }

    /** Returns the suffix of keys in a file of constants. */
    String key() {
        return id.toLowerCase(Locale.ROOT);
    }

    /** Returns bytes on the wire over payload bytes. */
    double wireRatio() {
        return wireRatio;
    }

    /**
     * Returns the bytes of the whole buffer that justify another channel (src/enqueue.cc, getAlgoInfo, and threadThresholds in src/graph/tuning.cc).
     */
    long bytesPerChannel(boolean ring, int ranks) {
        long perThread = this == LL && ring ? (long) bytesPerThread * ranks : bytesPerThread;
        return threads * perThread;
    }

    static Protocol of(String id) {
        for (Protocol protocol : values()) {
            if (protocol.id.equals(id)) {
                return protocol;
            }
        }
        throw new IllegalArgumentException("no protocol " + id + "; known: LL, LL128, Simple");
    }
}
