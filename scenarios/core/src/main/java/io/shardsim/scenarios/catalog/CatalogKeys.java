package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.KeyFile;

/** The keys of the catalog's files that are no figures. */
public final class CatalogKeys {
    public static final KeyFile FILE = KeyFile.named("catalog-keys");

    private CatalogKeys() {}
}
