package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import org.jspecify.annotations.Nullable;

/** A file that says what another kind does under names of its own: its table says which. */
class RenamedConfig implements Importer {
    private final String table;
    private final @Nullable Importer like;

    /** @param like whose words the table's rows are in; null where they are keys of a scenario */
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
        // Such keys may have dashes.
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
