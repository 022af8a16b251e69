package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import org.jspecify.annotations.Nullable;

/** A config with the same settings as another kind, under different names; its table maps them. */
class RenamedConfig implements Importer {
    private final String table;
    private final @Nullable Importer like;

    /** @param like importer whose keys the table maps to; null if it maps to scenario keys */
    RenamedConfig(String table, @Nullable Importer like) {
        this.table = table;
        this.like = like;
    }

    @Override
    public final String table() {
        return table;
    }

    @Override
    public final Mapping unwrap(Mapping root) {
        if (!Importers.table(this).paths("a-b").contains("a_b")) {
            return root;
        }
        // These keys may be written with dashes.
        return new Mapping(
                root.position(),
                root.entries().stream()
                        .map(entry -> new Entry(entry.key().replace('-', '_'), entry.keyPosition(), entry.value()))
                        .toList());
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        if (like != null) {
            like.contribute(file, draft);
        }
    }
}
