package io.shardsim.reports;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the tool warns about. Each code has a page, {@code messages/CODE.txt}, which {@code shardsim help CODE} prints. */
public enum MessageCode {
    OUT_OF_MEMORY,
    MEMORY_TIGHT,
    MEMORY_EDGE,
    KERNEL_TIMES,
    NOT_VALIDATED,
    MORE_GPUS_THAN_VALIDATED,
    LONGER_SEQUENCE_THAN_VALIDATED;

    /** As people write it, for example {@code memory-edge}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether no measurement covers such a run, so that nothing says how far off it is. */
    public boolean isBeyondMeasurements() {
        return switch (this) {
            case OUT_OF_MEMORY, MEMORY_TIGHT, MEMORY_EDGE -> false;
            case KERNEL_TIMES, NOT_VALIDATED, MORE_GPUS_THAN_VALIDATED, LONGER_SEQUENCE_THAN_VALIDATED -> true;
        };
    }

    /** What to read about it. */
    public MessagePage page() {
        return MessagePage.of(id());
    }

    /** All codes as people write them. */
    public static List<String> ids() {
        return Arrays.stream(values()).map(MessageCode::id).toList();
    }

    /** The code of that name; empty where there is none. */
    public static Optional<MessageCode> of(String id) {
        return Arrays.stream(values()).filter(code -> code.id().equals(id)).findFirst();
    }
}
