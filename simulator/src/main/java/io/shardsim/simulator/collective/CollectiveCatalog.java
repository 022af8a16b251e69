package io.shardsim.simulator.collective;

import io.shardsim.simulator.Lazy;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.catalog.DescriptorFolder;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Algorithms listed by the files {@code collectives/*.yaml}. Several classes may share a name, such as {@code ring}, for different kinds of
 * collective; each pair of kind and name is unique.
 */
public final class CollectiveCatalog {
    private static final DescriptorFolder FILES = new DescriptorFolder(
            "collectives",
            ProgramAlgorithm.KEY,
            Key.required(
                    "name", ScalarTypes.text("[a-z][a-z0-9-]*", "a name such as ring"), "by which scenarios force it"),
            Key.required(
                    "kinds",
                    new ListType(ScalarTypes.choice(CollectiveKind.values(), CollectiveKind::id), "kind"),
                    "collectives that it carries"));

    private static final Lazy<CollectiveCatalog> SHIPPED = new Lazy<>(CollectiveCatalog::load);

    private final List<Entry> entries;

    private CollectiveCatalog(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * One file of the catalog; for a file with a program, one of its kinds.
     *
     * @param kinds collectives that the algorithm supports
     */
    public record Entry(Descriptor descriptor, Set<CollectiveKind> kinds, CollectiveAlgorithm algorithm) {}

    /** Returns the catalog on the class path, read once. */
    public static CollectiveCatalog shipped() {
        return SHIPPED.get();
    }

    /** Reads the catalog on the class path. */
    public static CollectiveCatalog load() {
        List<Entry> entries = new ArrayList<>();
        for (Descriptor descriptor : FILES.all()) {
            for (Entry entry : entries(descriptor)) {
                checkUnique(entries, entry);
                entries.add(entry);
            }
        }
        return new CollectiveCatalog(entries);
    }

    public List<Entry> entries() {
        return entries;
    }

    /** Returns all algorithms, in the order of their files. */
    public List<CollectiveAlgorithm> algorithms() {
        return entries.stream().map(Entry::algorithm).toList();
    }

    /** Returns the names of the algorithms that support a kind of collective; for null, any kind. */
    public List<String> names(@Nullable String kind) {
        return entries.stream()
                .filter(entry ->
                        kind == null || entry.descriptor().words("kinds").contains(kind))
                .map(entry -> entry.algorithm().name())
                .distinct()
                .sorted()
                .toList();
    }

    private static List<Entry> entries(Descriptor descriptor) {
        Set<CollectiveKind> kinds = Stream.of(CollectiveKind.values())
                .filter(kind -> descriptor.words("kinds").contains(kind.id()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(CollectiveKind.class)));
        boolean isProgram = descriptor.block().has(ProgramAlgorithm.KEY.name());
        if (isProgram == !descriptor.text("class").isEmpty()) {
            throw descriptor.refuse(
                    "name",
                    "entry has " + (isProgram ? "a class and" : "no class and no") + " program; write one of them");
        }
        if (isProgram) {
            return kinds.stream()
                    .map(kind -> new Entry(descriptor, Set.of(kind), new ProgramAlgorithm(descriptor, kind)))
                    .toList();
        }
        CollectiveAlgorithm algorithm = descriptor.instantiate(CollectiveAlgorithm.class);
        if (!algorithm.name().equals(descriptor.text("name"))) {
            throw descriptor.refuse(
                    "name", "name is " + descriptor.text("name") + ", but the class calls itself " + algorithm.name());
        }
        return List.of(new Entry(descriptor, Collections.unmodifiableSet(kinds), algorithm));
    }

    private static void checkUnique(List<Entry> entries, Entry added) {
        for (Entry entry : entries) {
            for (CollectiveKind kind : added.kinds()) {
                if (entry.kinds().contains(kind)
                        && entry.algorithm().name().equals(added.algorithm().name())) {
                    throw added.descriptor()
                            .refuse(
                                    "name",
                                    "both this and " + entry.descriptor().path() + " name "
                                            + added.algorithm().name() + " for " + kind.id());
                }
            }
        }
    }
}
