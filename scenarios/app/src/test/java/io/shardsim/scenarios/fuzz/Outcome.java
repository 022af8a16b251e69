package io.shardsim.scenarios.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Outcome of a fuzzed input.
 *
 * @param detail for a fault, one line that identifies it; empty otherwise
 */
public record Outcome(Kind kind, String detail) {
    /** Kind of outcome. */
    public enum Kind {
        /** Refused with a message. */
        REFUSED,
        /** Accepted, but too large to run here. */
        READ,
        /** Planned, but does not fit in memory. */
        TOO_LARGE,
        /** Would execute more events, or take longer, than allowed here. */
        TOO_LONG,
        /** The run itself reported the problem. */
        TOLD,
        RAN,
        FAULT
    }

    public static Outcome of(Kind kind) {
        return new Outcome(kind, "");
    }

    public static Outcome fault(String detail) {
        return new Outcome(Kind.FAULT, detail.replaceAll("\\s+", " "));
    }

    /** Creates the outcome of a crash: its class, and where in shardsim it occurred. */
    static Outcome crash(Throwable crash) {
        Throwable root = crash;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        List<String> places = Arrays.stream(root.getStackTrace())
                .filter(at -> at.getClassName().startsWith("io.shardsim"))
                .limit(2)
                .map(at ->
                        at.getClassName().replaceAll(".*\\.", "") + "." + at.getMethodName() + ":" + at.getLineNumber())
                .toList();
        String message =
                String.valueOf(root.getMessage()).replaceAll("\\d+", "#").replaceAll("\\s+", " ");
        return fault(root.getClass().getSimpleName() + " at " + String.join(" < ", places) + ": "
                + message.substring(0, Math.min(160, message.length())));
    }

    /** Returns the name of its folder. */
    String folder() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isFault() {
        return kind == Kind.FAULT;
    }
}
