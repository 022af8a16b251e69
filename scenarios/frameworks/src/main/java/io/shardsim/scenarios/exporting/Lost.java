package io.shardsim.scenarios.exporting;

import org.jspecify.annotations.Nullable;

/**
 * A setting that the files do not contain.
 *
 * @param key scenario key
 * @param value value in the scenario
 * @param instead value that import reads from the files; null if none
 * @param remedy where to set it
 */
public record Lost(String key, String value, @Nullable String instead, String remedy) {
    /** Formats it as one line for people. */
    public String line() {
        return key + " " + value + " is not in these files" + (instead == null ? "" : " (import reads " + instead + ")")
                + "; " + remedy;
    }
}
