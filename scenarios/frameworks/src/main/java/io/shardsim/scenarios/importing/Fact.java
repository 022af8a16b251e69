package io.shardsim.scenarios.importing;

import org.jspecify.annotations.Nullable;

/**
 * A value of the scenario under construction, and its origin.
 *
 * @param value Long, Double, Boolean or String
 * @param rank a fact of a higher rank replaces one of a lower rank
 * @param key the file's key; null if none sets it
 * @param note reason, if no key sets it
 */
record Fact(Object value, Rank rank, @Nullable ForeignKey key, String note) {
    /** Sources of a value, least reliable first. */
    enum Rank {
        /** Not stated anywhere. */
        ASSUMED,
        /** The framework's default. */
        DEFAULT,
        /** Stated in a file. */
        GIVEN,
        /** Stated on the command line. */
        CHOSEN
    }

    /** The value's origin, for notes. */
    String origin() {
        return key == null ? note : key.file().name() + " " + key.path();
    }
}
