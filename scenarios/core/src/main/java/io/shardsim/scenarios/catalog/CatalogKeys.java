package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.KeyFile;

/** Keys of catalog files that hold no figures. */
public final class CatalogKeys {
    public static final KeyFile FILE = KeyFile.named("catalog-keys");

    private CatalogKeys() {}
}
