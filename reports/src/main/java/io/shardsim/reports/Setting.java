package io.shardsim.reports;

/**
 * A resolved value of a scenario.
 *
 * @param path dotted key, for example {@code training.precision}
 * @param value the value as written in a scenario
 */
public record Setting(String path, String value, Origin origin) {
    /** The origin of a value. */
    public enum Origin {
        /** Set in the scenario. */
        GIVEN,
        /** The default of an omitted key. */
        DEFAULT,
        /** Chosen by the tool for this run, for example the largest micro-batch that fits. */
        CHOSEN
    }
}
