package io.shardsim.scenarios.exporting;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.importing.KeyTable;
import io.shardsim.simulator.workload.ModelShape;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes the configuration of one framework. */
abstract class FrameworkWriter {
    private final String table;

    /** @param table of keys by which such files are imported */
    FrameworkWriter(String table) {
        this.table = table;
    }

    final KeyTable table() {
        return KeyTable.named(table);
    }

    /** What its files call a model of the catalog, where they name one; empty for any other. */
    final Optional<String> nameOf(ModelShape shape) {
        return table().models().entrySet().stream()
                .filter(each -> {
                    CatalogEntry<ModelShape> known = Catalog.model(each.getValue());
                    return known != null && known.spec().equals(shape);
                })
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** What to do about a strategy of another kind; ends a sentence. */
    abstract String remedy(String kind);

    /** Why the framework cannot run this though it runs the kind, and what to write instead; null where it can. */
    abstract @Nullable String refusal(Settings settings);

    /** The files, the one that says the strategy first. */
    abstract List<WrittenFile> files(Settings settings, String instance);

    /** A command that runs the files. */
    abstract String launch(Settings settings);

    /** What whoever runs the files should know. */
    abstract List<String> notes(Settings settings);
}
