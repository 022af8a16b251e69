package io.shardsim.reports.writing;

import java.util.List;
import java.util.stream.IntStream;

/** Formats rows of cells for the terminal, with columns as wide as their widest cell and two blanks between them. */
public final class TextTable {
    private static final int WORD_MIN = 10;

    private TextTable() {}

    /**
     * Returns a line per row; rows have equal numbers of cells. Cuts the first column if the others leave too little room.
     *
     * @param words number of left-aligned columns; the others are numbers, right-aligned
     */
    public static List<String> lines(List<List<String>> rows, int words, int width) {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        int over = IntStream.of(widths).sum() + 2 * (widths.length - 1) - width;
        widths[0] -= words == 0 ? 0 : Math.max(0, Math.min(over, widths[0] - WORD_MIN));
        return rows.stream().map(row -> line(row, widths, words)).toList();
    }

    private static String line(List<String> row, int[] widths, int words) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = cut(row.get(column), widths[column]);
            String space = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : "  ").append(column < words ? cell + space : space + cell);
        }
        return line.toString();
    }

    /** Cuts a text to a length; {@code ~} marks the cut. */
    public static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }
}
