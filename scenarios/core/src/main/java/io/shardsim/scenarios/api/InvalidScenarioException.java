package io.shardsim.scenarios.api;

import io.shardsim.simulator.yaml.InputException;
import java.util.List;

/** A scenario that cannot be run, with everything that is wrong with it. */
public final class InvalidScenarioException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> problems;

    InvalidScenarioException(InputException refused) {
        super(refused.getMessage(), refused);
        problems = refused.problems().stream().map(Object::toString).toList();
    }

    /** Returns every problem, at least one: its key, both values if two contradict each other, and what to write instead. */
    public List<String> problems() {
        return problems;
    }
}
