package io.shardsim.topology;

import java.util.Locale;

/** How a chunk finds one of several equally long ways through a fabric. */
public enum Routing {
    /** Spread over all of them packet by packet, so that only their capacity together counts. */
    ADAPTIVE,
    /** By its destination, as InfiniBand's forwarding tables do: those of a leaf are dealt to the spines evenly, in an order drawn by the seed. */
    STATIC,
    /** By a hash of source and destination (RFC 2992), drawn by the seed. */
    ECMP;

    /** The name as scenario files write it, for example {@code static}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
