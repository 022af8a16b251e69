package io.shardsim.simulator.plan;

import io.shardsim.simulator.collective.CollectiveKind;

/** Operation of every rank in a training step, on one of its streams. Equal operations may share one object. */
public sealed interface Operation {
    Stream stream();

    /**
     * Returns the name in timelines and errors, for example {@code forward layer}; operations of the same name are counted together, so it contains
     * no numbers.
     */
    String label();

    /**
     * Local work.
     *
     * @param stream stream; any but COMPUTE for work of the host
     */
    record Compute(Stream stream, Work work, String label) implements Operation {
        public Compute {
            if (stream == Stream.COMPUTE && work.kind().isOfHost()) {
                throw new IllegalArgumentException(label + ": " + work.kind()
                        + " cannot run on COMPUTE, whose time is the GPU's work; name another stream");
            }
        }
    }

    /**
     * Collective among the rank's group.
     *
     * @param stream stream; any but COMPUTE
     * @param totalBytes whole buffer [bytes]
     * @param algorithm catalog name, or {@code auto} for the library's choice
     */
    record Collective(
            Stream stream, CollectiveKind kind, RankGroups groups, long totalBytes, String algorithm, String label)
            implements Operation {
        public Collective {
            if (stream == Stream.COMPUTE) {
                throw new IllegalArgumentException(label
                        + ": a collective cannot run on COMPUTE, whose time is the GPU's work; name another stream");
            }
        }
    }
}
