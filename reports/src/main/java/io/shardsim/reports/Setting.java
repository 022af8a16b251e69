package io.shardsim.reports;

/**
 * One value of a scenario once everything is resolved.
 *
 * @param path dotted key, for example {@code training.precision}
 * @param value as a scenario writes it
 */
public record Setting(String path, String value, Origin origin) {
    /** Who said so. */
    public enum Origin {
        /** The scenario. */
        GIVEN,
        /** Nobody: it is what the key means when it is left out. */
        DEFAULT,
        /** The tool chose it for this run, for example the largest micro-batch that fits. */
        CHOSEN
    }
}
