package io.shardsim.simulator.yaml;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown for an unusable file, with all of its problems. */
public final class InputException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public InputException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    public InputException(String file, String message) {
        this(List.of(new Problem(file, Position.START, message)));
    }

    /** Returns the problems, at least one, in order of position. */
    public List<Problem> problems() {
        return problems;
    }
}
