package io.shardsim.simulator.yaml;

import java.util.Comparator;

/**
 * A place in a text.
 *
 * @param line from 1; 0 where there is no text
 * @param column from 1, in code points; 0 where there is no text
 */
public record Position(int line, int column) implements Comparable<Position> {
    /** The beginning of a file, where problems of the whole file are reported. */
    public static final Position START = new Position(1, 1);

    /** Of what is no text, for example an option of a command line. */
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
