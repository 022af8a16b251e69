package io.shardsim.reports.writing.html;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Columns of a page's table, each with a header and a function from a row to its cell. */
final class Columns<T> {
    private final List<String> head = new ArrayList<>();
    private final List<Boolean> numeric = new ArrayList<>();
    private final List<Function<T, String>> cells = new ArrayList<>();

    /** Adds a column of text, left-aligned. */
    Columns<T> words(String name, Function<T, String> cell) {
        return with(name, false, cell);
    }

    /** Adds a column of figures, right-aligned. */
    Columns<T> figure(String name, Function<T, String> cell) {
        return with(name, true, cell);
    }

    private Columns<T> with(String name, boolean number, Function<T, String> cell) {
        head.add(name);
        numeric.add(number);
        cells.add(cell);
        return this;
    }

    Figure.Table of(List<T> rows) {
        return new Figure.Table(
                head,
                numeric,
                rows.stream()
                        .map(row -> cells.stream().map(cell -> cell.apply(row)).toList())
                        .toList());
    }
}
