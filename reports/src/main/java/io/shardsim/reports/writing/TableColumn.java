package io.shardsim.reports.writing;

import io.shardsim.reports.ShortNames;
import java.util.List;
import java.util.Map;

/**
 * A column of the terminal's table, with a cell for each row.
 *
 * @param unit second line of the header
 * @param number whether cells are right-aligned
 * @param rank priority: the highest rank is dropped first; rank 0 stays
 * @param key whether it is an input of the run, not a result
 */
record TableColumn(String name, String unit, boolean number, int rank, boolean key, List<String> cells) {
    int width() {
        int width = Math.max(name.length(), unit.length());
        for (String cell : cells) {
            width = Math.max(width, cell.length());
        }
        return width;
    }

    /** Returns the column with other cells. */
    TableColumn with(List<String> others) {
        return new TableColumn(name, unit, number, rank, key, others);
    }

    /** Returns the column with cells of at most a length, still distinct where they were. */
    TableColumn inShort(int length) {
        Map<String, String> forms = ShortNames.of(cells, length);
        return with(cells.stream()
                .map(cell -> PlainText.printable(forms.getOrDefault(cell, cell)))
                .toList());
    }

    /** Returns the column with a shorter name, if there is one. */
    TableColumn underShortName() {
        return words().equals("activation_checkpointing")
                ? new TableColumn("check-", "pointing", number, rank, key, cells)
                : this;
    }

    /** Returns the column named by a letter, which a legend explains. */
    TableColumn under(char letter) {
        return new TableColumn(String.valueOf(letter), "", number, rank, key, cells);
    }

    /** Returns the whole header as one word. */
    String words() {
        return name.endsWith("_") || unit.startsWith("/") ? name + unit : name;
    }
}
