package io.shardsim.reports.writing;

import io.shardsim.reports.ShortNames;
import java.util.List;
import java.util.Map;

/**
 * A column of the terminal's table with its cells, one for each row.
 *
 * @param unit the second line of the head
 * @param number whether cells are aligned at their end
 * @param says what it is about
 * @param rank those of the highest rank go first where there is no room; those of rank 0 stay
 */
record TableColumn(String name, String unit, boolean number, Says says, int rank, List<String> cells) {
    /** What a column is about. */
    enum Says {
        WHAT_WAS_RUN,
        WHAT_CAME_OF_IT
    }

    boolean key() {
        return says == Says.WHAT_WAS_RUN;
    }

    int width() {
        int width = Math.max(name.length(), unit.length());
        for (String cell : cells) {
            width = Math.max(width, cell.length());
        }
        return width;
    }

    /** With cells of at most that length, and different where they are. */
    TableColumn inShort(int length) {
        Map<String, String> forms = ShortNames.of(cells, length);
        List<String> shorter = cells.stream()
                .map(cell -> PlainText.printable(forms.getOrDefault(cell, cell)))
                .toList();
        return new TableColumn(name, unit, number, says, rank, shorter);
    }

    /** The same under a shorter name, where there is one. */
    TableColumn underShortName() {
        return words().equals("activation_checkpointing")
                ? new TableColumn("check-", "pointing", number, says, rank, cells)
                : this;
    }

    /** The same under a letter, which a legend explains. */
    TableColumn under(char letter) {
        return new TableColumn(String.valueOf(letter), "", number, says, rank, cells);
    }

    /** The whole head in one word. */
    String words() {
        return name.endsWith("_") || unit.startsWith("/") ? name + unit : name;
    }
}
