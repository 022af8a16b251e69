package io.shardsim.reports.writing;

/**
 * The style of terminal text.
 *
 * @param width maximum line width in characters
 * @param colour whether escape sequences may be used for colour
 */
public record TextStyle(int width, boolean colour, Detail detail) {
    /** Width for files and pipes, which have none; fits most viewers. */
    public static final int WIDTH_WITHOUT_TERMINAL = 120;

    private static final int WIDTH_MIN = 40;

    /** The level of detail. */
    public enum Detail {
        /** The answer and its reasons, on one screen. */
        BRIEF,
        /** Every run, every reason, every note. */
        FULL
    }

    public TextStyle {
        width = Math.max(WIDTH_MIN, width);
    }

    /** Returns a brief style without colour. */
    public static TextStyle plain(int width) {
        return new TextStyle(width, false, Detail.BRIEF);
    }

    /** Returns a style for a file or a pipe. */
    public static TextStyle withoutTerminal() {
        return plain(WIDTH_WITHOUT_TERMINAL);
    }

    boolean full() {
        return detail == Detail.FULL;
    }
}
