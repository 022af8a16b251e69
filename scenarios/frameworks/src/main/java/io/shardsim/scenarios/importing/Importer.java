package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import org.jspecify.annotations.Nullable;

/** Reads one kind of file: translates its keys to a scenario. */
interface Importer {
    /** Name of the key table among the resources. */
    String table();

    /** Normalizes the file to the form of its table, if there are several forms. */
    default Mapping unwrap(Mapping root) {
        return root;
    }

    /** A top-level key that contains a configuration of another kind; null for none. */
    default @Nullable String innerKey(Mapping root) {
        return null;
    }

    /** Adds the file's values to the draft, and sets verdicts that depend on values. */
    void contribute(ForeignFile file, Draft draft);
}
