package io.shardsim.topology;

import java.util.Locale;

/** How a chunk picks one of several equally long paths through a fabric. */
public enum Routing {
    /** Sprays packets over all paths, so that only their total capacity counts. */
    ADAPTIVE,
    /** By destination, as InfiniBand's forwarding tables do: a leaf's destinations are spread evenly over the spines, in a seeded random order. */
    STATIC,
    /** By a seeded hash of source and destination (RFC 2992). */
    ECMP;

    /** Returns the name in scenario files, for example {@code static}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
