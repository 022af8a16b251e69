package io.shardsim.simulator.catalog;

import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.yaml.InputException;

/** Invalid or missing catalog file. */
public final class CatalogException extends ClassPathException {
    private static final long serialVersionUID = 1;

    public CatalogException(String message) {
        super(message);
    }

    public CatalogException(InputException broken) {
        super(String.valueOf(broken.getMessage()), broken);
    }
}
