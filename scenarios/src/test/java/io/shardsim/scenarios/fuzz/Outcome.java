package io.shardsim.scenarios.fuzz;

import java.util.Arrays;
import java.util.List;

/**
 * What became of a fuzzed scenario.
 *
 * @param detail of a fault: what went wrong, one line, by which faults are counted; empty otherwise
 */
record Outcome(Kind kind, String detail) {
    /** How it ended. */
    enum Kind {
        /** The reader told what is wrong. */
        REFUSED,
        /** Accepted, too large to be run here. */
        READ,
        /** Planned, and does not fit in memory. */
        TOO_LARGE,
        /** Would execute more events than are allowed here. */
        TOO_LONG,
        /** The run itself told, in a sentence, what is wrong. */
        TOLD,
        RAN,
        FAULT
    }

    static Outcome of(Kind kind) {
        return new Outcome(kind, "");
    }

    static Outcome fault(String detail) {
        return new Outcome(Kind.FAULT, detail);
    }

    /** A crash: its class and where in shardsim it began. */
    static Outcome crash(String stage, Throwable crash) {
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
        return fault(stage + " " + root.getClass().getSimpleName() + " at " + String.join(" < ", places) + ": "
                + message.substring(0, Math.min(160, message.length())));
    }

    boolean isFault() {
        return kind == Kind.FAULT;
    }
}
