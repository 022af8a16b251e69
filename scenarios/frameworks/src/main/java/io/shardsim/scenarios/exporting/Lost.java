package io.shardsim.scenarios.exporting;

import org.jspecify.annotations.Nullable;

/**
 * A setting that the files do not carry.
 *
 * @param key of the scenario
 * @param value as the scenario has it
 * @param instead what import reads from the files; null where it reads nothing
 * @param remedy where to say it
 */
public record Lost(String key, String value, @Nullable String instead, String remedy) {
    /** One line for people. */
    public String line() {
        return key + " " + value + " is not in these files" + (instead == null ? "" : " (import reads " + instead + ")")
                + "; " + remedy;
    }
}
