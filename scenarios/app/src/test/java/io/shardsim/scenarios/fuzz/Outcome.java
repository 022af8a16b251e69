package io.shardsim.scenarios.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What became of a fuzzed input.
 *
 * @param detail of a fault: what went wrong, one line, by which faults are counted; empty otherwise
 */
public record Outcome(Kind kind, String detail) {
    /** How it ended. */
    public enum Kind {
        /** A message says what is wrong. */
        REFUSED,
        /** Accepted, and too large to be run here. */
        READ,
        /** Planned, and does not fit in memory. */
        TOO_LARGE,
        /** Would execute more events, or take more time, than is allowed here. */
        TOO_LONG,
        /** The run itself said what is wrong. */
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

    /** A crash: its class and where in shardsim it began. */
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

    /** A folder's name. */
    String folder() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isFault() {
        return kind == Kind.FAULT;
    }
}
