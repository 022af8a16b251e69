package io.shardsim.simulator;

import java.util.List;

/**
 * What keeps settings from being used so: relation, values and the way out.
 *
 * @param sentence one line
 * @param keys settings that it is about, as a scenario writes them; whoever shows it, shows it at the first of them that is written
 */
public record Refusal(String sentence, List<String> keys) {
    public Refusal {
        keys = List.copyOf(keys);
    }

    public static Refusal of(String sentence, String... keys) {
        return new Refusal(sentence, List.of(keys));
    }
}
