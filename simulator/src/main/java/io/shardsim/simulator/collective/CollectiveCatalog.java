package io.shardsim.simulator.collective;

import io.shardsim.simulator.Descriptor;
import io.shardsim.simulator.DescriptorException;
import io.shardsim.simulator.Descriptors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The algorithms that the files {@code collectives/*.yaml} name. One name, such as {@code ring}, may stand for several classes that carry
 * different kinds of collective; a pair of kind and name is unique.
 */
public final class CollectiveCatalog {
    private static final String FOLDER = "collectives";

    private final List<Entry> entries;

    private CollectiveCatalog(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * One file of the catalog.
     *
     * @param kinds collectives that the algorithm carries
     */
    public record Entry(Descriptor descriptor, Set<CollectiveKind> kinds, CollectiveAlgorithm algorithm) {}

    /** Reads the catalog on the class path. */
    public static CollectiveCatalog load() {
        List<Entry> entries = new ArrayList<>();
        for (Descriptor descriptor : Descriptors.load(FOLDER)) {
            Entry entry = entry(descriptor);
            checkUnique(entries, entry);
            entries.add(entry);
        }
        return new CollectiveCatalog(entries);
    }

    public List<Entry> entries() {
        return entries;
    }

    /** All algorithms, in the order of their files. */
    public List<CollectiveAlgorithm> algorithms() {
        return entries.stream().map(Entry::algorithm).toList();
    }

    private static Entry entry(Descriptor descriptor) {
        CollectiveAlgorithm algorithm = descriptor.instantiate(CollectiveAlgorithm.class);
        if (!algorithm.name().equals(descriptor.required("name"))) {
            throw new DescriptorException(descriptor.location() + ": name is " + descriptor.required("name")
                    + ", but the class calls itself " + algorithm.name());
        }
        EnumSet<CollectiveKind> kinds = EnumSet.noneOf(CollectiveKind.class);
        for (String id : descriptor.requiredList("kinds")) {
            kinds.add(kind(descriptor, id));
        }
        return new Entry(descriptor, Collections.unmodifiableSet(kinds), algorithm);
    }

    private static CollectiveKind kind(Descriptor descriptor, String id) {
        for (CollectiveKind kind : CollectiveKind.values()) {
            if (kind.id().equals(id)) {
                return kind;
            }
        }
        throw new DescriptorException(descriptor.location() + ": no collective `" + id + "`; known: "
                + Arrays.stream(CollectiveKind.values()).map(CollectiveKind::id).toList());
    }

    private static void checkUnique(List<Entry> entries, Entry added) {
        for (Entry entry : entries) {
            for (CollectiveKind kind : added.kinds()) {
                if (entry.kinds().contains(kind)
                        && entry.algorithm().name().equals(added.algorithm().name())) {
                    throw new DescriptorException(added.descriptor().location() + " and "
                            + entry.descriptor().location() + " both name "
                            + added.algorithm().name() + " for "
                            + kind.id());
                }
            }
        }
    }
}
