package io.shardsim.reports;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Codes of the tool's warnings. Each has a page, {@code messages/CODE.txt}, which {@code shardsim help CODE} prints. */
public enum MessageCode {
    OUT_OF_MEMORY,
    MEMORY_TIGHT,
    MEMORY_EDGE,
    KERNEL_TIMES,
    NOT_VALIDATED,
    MORE_GPUS_THAN_VALIDATED,
    LONGER_SEQUENCE_THAN_VALIDATED;

    /** Returns the code as users write it, for example {@code memory-edge}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether no measurement covers the run, so that its error is unknown. */
    public boolean isBeyondMeasurements() {
        return switch (this) {
            case OUT_OF_MEMORY, MEMORY_TIGHT, MEMORY_EDGE -> false;
            case KERNEL_TIMES, NOT_VALIDATED, MORE_GPUS_THAN_VALIDATED, LONGER_SEQUENCE_THAN_VALIDATED -> true;
        };
    }

    /** Returns its page. */
    public MessagePage page() {
        return MessagePage.of(id());
    }

    /** Returns all codes as users write them. */
    public static List<String> ids() {
        return Arrays.stream(values()).map(MessageCode::id).toList();
    }

    /** Returns the code of a name; empty if there is none. */
    public static Optional<MessageCode> of(String id) {
        return Arrays.stream(values()).filter(code -> code.id().equals(id)).findFirst();
    }
}
