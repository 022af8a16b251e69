package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import java.util.List;

/**
 * One file of the catalog.
 *
 * @param name of the file, by which scenarios name the entry
 * @param title one line for people
 * @param spec what the simulator is given
 * @param figures every value with its source
 */
public record CatalogEntry<T>(String name, String title, T spec, List<Figure> figures) {
    public CatalogEntry {
        figures = List.copyOf(figures);
    }

    static <T> CatalogEntry<T> of(FigureFile file, T spec) {
        return new CatalogEntry<>(
                file.name(), file.title(), spec, List.copyOf(file.figures().values()));
    }
}
