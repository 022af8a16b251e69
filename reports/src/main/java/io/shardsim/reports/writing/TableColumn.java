package io.shardsim.reports.writing;

import io.shardsim.reports.ShortNames;
import java.util.List;
import java.util.Map;

/**
 * A column of the terminal's table with its cells, one for each row.
 *
 * @param unit the second line of the head
 * @param number whether cells are aligned at their end
 * @param rank those of the highest rank go first where there is no room; those of rank 0 stay
 * @param key whether it says what was run, not what came of it
 */
record TableColumn(String name, String unit, boolean number, int rank, boolean key, List<String> cells) {
    int width() {
        int width = Math.max(name.length(), unit.length());
        for (String cell : cells) {
            width = Math.max(width, cell.length());
        }
        return width;
    }

    /** The same with other cells. */
    TableColumn with(List<String> others) {
        return new TableColumn(name, unit, number, rank, key, others);
    }

    /** With cells of at most that length, and different where they are. */
    TableColumn inShort(int length) {
        Map<String, String> forms = ShortNames.of(cells, length);
        return with(cells.stream()
                .map(cell -> PlainText.printable(forms.getOrDefault(cell, cell)))
                .toList());
    }

    /** The same under a shorter name, where there is one. */
    TableColumn underShortName() {
        return words().equals("activation_checkpointing")
                ? new TableColumn("check-", "pointing", number, rank, key, cells)
                : this;
    }

    /** The same under a letter, which a legend explains. */
    TableColumn under(char letter) {
        return new TableColumn(String.valueOf(letter), "", number, rank, key, cells);
    }

    /** The whole head in one word. */
    String words() {
        return name.endsWith("_") || unit.startsWith("/") ? name + unit : name;
    }
}
