package io.shardsim.scenarios.api;

import io.shardsim.simulator.yaml.InputException;
import java.util.List;

/** A scenario that cannot be run; says everything that is wrong with it. */
public final class InvalidScenarioException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> problems;

    InvalidScenarioException(InputException refused) {
        super(refused.getMessage(), refused);
        problems = refused.problems().stream().map(Object::toString).toList();
    }

    /** Each with its place in the scenario, both values where two contradict each other, and what would be right; at least one. */
    public List<String> problems() {
        return problems;
    }
}
