package io.shardsim.simulator;

import java.util.List;

/**
 * Reason why settings cannot be used together: relation, values and remedy.
 *
 * @param sentence one line
 * @param keys settings concerned, as a scenario writes them; it is reported at the first one that the scenario sets
 */
public record Refusal(String sentence, List<String> keys) {
    public Refusal {
        keys = List.copyOf(keys);
    }

    public static Refusal of(String sentence, String... keys) {
        return new Refusal(sentence, List.of(keys));
    }

    /** Returns why a setting cannot be used, which needs another one to have a different value. */
    public static Refusal needs(String setting, String value, String other, String needed, String actual) {
        return of(
                setting + " " + value + " needs " + other + " " + needed + ", not " + actual + "; set it, or remove "
                        + setting,
                setting,
                other);
    }
}
