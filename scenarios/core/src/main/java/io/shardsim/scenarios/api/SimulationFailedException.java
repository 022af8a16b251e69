package io.shardsim.scenarios.api;

import java.util.List;

/** Thrown when a run violated an invariant of the simulation, or needed more memory than the JVM has. */
public final class SimulationFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> failures;

    SimulationFailedException(List<String> failures) {
        super(String.join(System.lineSeparator(), failures));
        this.failures = List.copyOf(failures);
    }

    /** Returns which points failed and why, one sentence each; at least one. */
    public List<String> failures() {
        return failures;
    }
}
