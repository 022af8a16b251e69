package io.shardsim.reports.writing;

import java.util.List;
import java.util.stream.IntStream;

/** Rows of cells for the terminal, each column as wide as its widest cell, with two blanks between them. */
public final class TextTable {
    private TextTable() {}

    /**
     * A line for each row; rows have the same number of cells.
     *
     * @param words columns that stand flush left; the others are numbers, flush right
     */
    public static List<String> lines(List<List<String>> rows, int words) {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths, words)).toList();
    }

    private static String line(List<String> row, int[] widths, int words) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String space = " ".repeat(widths[column] - row.get(column).length());
            line.append(column == 0 ? "" : "  ")
                    .append(column < words ? row.get(column) + space : space + row.get(column));
        }
        return line.toString();
    }

    /** A text of at most that length; {@code ~} stands for what does not fit. */
    public static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }
}
