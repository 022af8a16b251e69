package io.shardsim.simulator.yaml;

import java.util.Comparator;

/**
 * Position in a text.
 *
 * @param line line from 1; 0 without a text
 * @param column column from 1, in code points; 0 without a text
 */
public record Position(int line, int column) implements Comparable<Position> {
    /** Start of a file, where problems of the whole file are reported. */
    public static final Position START = new Position(1, 1);

    /** Position of input that is not a text, such as a command-line option. */
    public static final Position NONE = new Position(0, 0);

    private static final Comparator<Position> ORDER =
            Comparator.comparingInt(Position::line).thenComparingInt(Position::column);

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return line + ":" + column;
    }
}
