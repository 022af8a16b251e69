package io.shardsim.scenarios.demo;

import java.util.List;

/**
 * A control with which the visitor changes a setting.
 *
 * @param id the page's ID for it
 * @param name display name
 * @param meaning one sentence
 * @param values values to choose from, as displayed
 * @param chosen the scenario's value, one of the values
 */
public record Knob(String id, String name, String meaning, List<String> values, String chosen) {
    public Knob {
        values = List.copyOf(values);
    }
}
