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

    /** @param table name of the key table by which such files are imported */
    FrameworkWriter(String table) {
        this.table = table;
    }

    final KeyTable table() {
        return KeyTable.named(table);
    }

    /** The name of a catalog model in its files, if they refer to models by name; else empty. */
    final Optional<String> nameOf(ModelShape shape) {
        return table().models().entrySet().stream()
                .filter(each -> {
                    CatalogEntry<ModelShape> known = Catalog.model(each.getValue());
                    return known != null && known.spec().equals(shape);
                })
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** What to do about a strategy kind that the framework does not run; ends a sentence. */
    abstract String remedy(String kind);

    /** Why the framework cannot run this training although it runs the strategy kind, and what to write instead; null if it can. */
    abstract @Nullable String refusal(Settings settings);

    /** The files, the one with the strategy first. */
    abstract List<WrittenFile> files(Settings settings, String instance);

    /** A command that runs the files. */
    abstract String launch(Settings settings);

    /** What the user must know before running the files. */
    abstract List<String> notes(Settings settings);
}
