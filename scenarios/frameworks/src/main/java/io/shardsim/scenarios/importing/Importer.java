package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import org.jspecify.annotations.Nullable;

/** Reads one kind of file: says what its keys mean in a scenario. */
interface Importer {
    /** Name of the table of keys among the resources. */
    String table();

    /** The file as its table describes it, where people write it in several ways. */
    default Mapping unwrap(Mapping root) {
        return root;
    }

    /** A first key under which a configuration of another kind stands; null for none. */
    default @Nullable String innerKey(Mapping root) {
        return null;
    }

    /** Tells the draft what the file says, and judges the keys whose verdict depends on their value. */
    void contribute(ForeignFile file, Draft draft);
}
