package io.shardsim.reports.writing;

/**
 * How text for people is set.
 *
 * @param width characters that a line may have
 * @param colour whether escape sequences may colour it
 */
public record TextStyle(int width, boolean colour, Detail detail) {
    /** A file or a pipe has no width; this suits most of what shows them. */
    public static final int WIDTH_WITHOUT_TERMINAL = 120;

    private static final int WIDTH_MIN = 40;

    /** How much is said. */
    public enum Detail {
        /** The answer and its reasons, on one screen. */
        BRIEF,
        /** Every run, every reason, every note. */
        FULL
    }

    public TextStyle {
        width = Math.max(WIDTH_MIN, width);
    }

    /** In short, without colour. */
    public static TextStyle plain(int width) {
        return new TextStyle(width, false, Detail.BRIEF);
    }

    /** For a file or a pipe. */
    public static TextStyle withoutTerminal() {
        return plain(WIDTH_WITHOUT_TERMINAL);
    }

    boolean full() {
        return detail == Detail.FULL;
    }
}
