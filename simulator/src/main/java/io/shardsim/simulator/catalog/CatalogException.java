package io.shardsim.simulator.catalog;

import io.shardsim.simulator.yaml.InputException;

/** A file of the class path that does not say what it must, or is missing. The message names file, place and way out. */
public final class CatalogException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public CatalogException(String message) {
        super(message);
    }

    public CatalogException(InputException broken) {
        super(broken.getMessage(), broken);
    }
}
