package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import java.util.List;

/**
 * A catalog file.
 *
 * @param name file name, by which scenarios refer to the entry
 * @param title a one-line description
 * @param spec the resolved spec for the simulator
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
