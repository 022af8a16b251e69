package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;
import org.jspecify.annotations.Nullable;

/** Reads one kind of file: knows it when it sees it, and says what its keys mean in a scenario. */
interface Importer {
    /** Name of the table of keys among the resources. */
    String table();

    /**
     * How sure it is that a file is of this kind: 0 for not at all.
     *
     * @param known how many of the file's first keys the table knows
     */
    int likeness(Mapping root, int known);

    /** Whether people write such a configuration as arguments of a command, too. */
    default boolean readsArguments() {
        return false;
    }

    /** The file as its table describes it, where people write it in several ways. */
    default Mapping unwrap(Mapping root) {
        return root;
    }

    /** A first key under which a configuration of another kind stands; null for none. */
    default @Nullable String innerKey() {
        return null;
    }

    /** Tells the draft what the file says, and judges the keys whose verdict depends on their value. */
    void contribute(ForeignFile file, Draft draft);
}
