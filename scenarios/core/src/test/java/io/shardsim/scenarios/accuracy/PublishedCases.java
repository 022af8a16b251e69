package io.shardsim.scenarios.accuracy;

import io.shardsim.simulator.yaml.InputException;
import java.nio.file.Path;
import java.util.List;

/** The published cases of this source tree. */
public final class PublishedCases {
    private static final List<ReferenceCase> ALL = read();

    private PublishedCases() {}

    public static List<ReferenceCase> all() {
        return ALL;
    }

    private static List<ReferenceCase> read() {
        try {
            return ReferenceCases.published(Path.of(".."));
        } catch (InputException damaged) {
            throw new IllegalStateException(damaged.getMessage(), damaged);
        }
    }
}
