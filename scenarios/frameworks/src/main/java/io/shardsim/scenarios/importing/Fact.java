package io.shardsim.scenarios.importing;

import org.jspecify.annotations.Nullable;

/**
 * A value of the scenario to be, and where it comes from.
 *
 * @param value Long, Double, Boolean or String
 * @param rank a fact gives way to one of a higher rank
 * @param key the key that says so; null where none does
 * @param note why, where no key says so
 */
record Fact(Object value, Rank rank, @Nullable ForeignKey key, String note) {
    /** How sure a value is, the least first. */
    enum Rank {
        /** Nothing says so. */
        ASSUMED,
        /** What the framework does when no file says otherwise. */
        DEFAULT,
        /** A file says so. */
        GIVEN,
        /** The command line says so. */
        CHOSEN
    }

    /** For notes: where the value comes from. */
    String origin() {
        return key == null ? note : key.file().name() + " " + key.path();
    }
}
