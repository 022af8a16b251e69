package io.shardsim.reports.writing.html;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A table of a page as its columns, each the head and what it says of a row. */
final class Columns<T> {
    private final List<String> head = new ArrayList<>();
    private final List<Boolean> numeric = new ArrayList<>();
    private final List<Function<T, String>> cells = new ArrayList<>();

    /** A column of words, flush left. */
    Columns<T> words(String name, Function<T, String> cell) {
        return with(name, false, cell);
    }

    /** A column of figures, flush right. */
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
