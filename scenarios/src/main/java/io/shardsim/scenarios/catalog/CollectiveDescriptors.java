package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.Lazy;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The collective algorithms that the simulator has, as scenarios see them. */
public final class CollectiveDescriptors {
    private CollectiveDescriptors() {}

    /**
     * One algorithm for one or more kinds of collective.
     *
     * @param name by which scenarios force it
     * @param kinds collectives that it carries
     */
    public record Algorithm(String name, List<String> kinds, String source) {}

    private static final Lazy<List<Algorithm>> ALL = new Lazy<>(() -> CollectiveCatalog.load().entries().stream()
            .map(CollectiveDescriptors::read)
            .toList());

    private static Algorithm read(CollectiveCatalog.Entry entry) {
        return new Algorithm(
                entry.algorithm().name(),
                entry.kinds().stream().map(CollectiveKind::id).toList(),
                entry.descriptor().text("source"));
    }

    public static List<Algorithm> all() {
        return ALL.get();
    }

    /** Names of the algorithms that carry a kind of collective, or any kind where it is null. */
    public static List<String> names(@Nullable String kind) {
        return all().stream()
                .filter(algorithm -> kind == null || algorithm.kinds().contains(kind))
                .map(Algorithm::name)
                .distinct()
                .sorted()
                .toList();
    }
}
