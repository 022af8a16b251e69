package io.shardsim.scenarios.demo;

import java.util.List;

/**
 * One thing that the page lets its visitor turn.
 *
 * @param id as the page names it
 * @param name in words
 * @param meaning one sentence
 * @param values what may be chosen, as shown
 * @param chosen what the scenario says, one of the values
 */
public record Knob(String id, String name, String meaning, List<String> values, String chosen) {
    public Knob {
        values = List.copyOf(values);
    }
}
