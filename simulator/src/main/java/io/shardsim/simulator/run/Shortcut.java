package io.shardsim.simulator.run;

import java.util.Set;

/** A way to simulate less, which changes no result. */
public enum Shortcut {
    /** Skip what is proven to repeat in time. */
    FAST_FORWARD,
    /** Leave out nodes that are proven to do the same as others. */
    FOLD_NODES;

    /** Every shortcut, or none, so that every event of every device is executed. */
    public static Set<Shortcut> allIf(boolean taken) {
        return taken ? Set.of(values()) : Set.of();
    }
}
