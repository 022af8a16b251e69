package io.shardsim.simulator.run;

import java.util.Set;

/** Way to simulate less without changing any result. */
public enum Shortcut {
    /** Skip time that provably repeats. */
    FAST_FORWARD,
    /** Skip nodes that provably behave like others. */
    FOLD_NODES;

    /** Returns every shortcut, or none, so that every event of every device is executed. */
    public static Set<Shortcut> allIf(boolean taken) {
        return taken ? Set.of(values()) : Set.of();
    }
}
