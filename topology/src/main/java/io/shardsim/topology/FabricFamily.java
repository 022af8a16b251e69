package io.shardsim.topology;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** A family of fabrics: one class each, which {@code META-INF/services} names. */
public interface FabricFamily {
    /** The name as scenario files write it, for example {@code leaf_spine}. */
    String id();

    /** What it is, for people. */
    String description();

    /** Names of the devices that a node has for its share of the fabric, those next to its NICs first. */
    List<String> devices(FabricSpec spec, int nodes);

    /** Nodes, from the first one on, of each group that only {@link Fabric#isOutbound} hops leave. */
    int groupNodes(FabricSpec spec, int nodes);

    /** Why so many nodes cannot be joined so; null where they can. */
    default @Nullable String problem(FabricSpec spec, int nodes) {
        return null;
    }

    /** Whether NVLink joins the GPUs of several nodes. */
    default boolean joinsDomains() {
        return false;
    }

    /** The fabric between the nodes of a cluster. */
    Fabric build(Cluster cluster);

    /** All families. */
    static List<FabricFamily> all() {
        return List.copyOf(Known.FAMILIES.values());
    }

    /** The family of this name. */
    static FabricFamily named(String id) {
        FabricFamily family = Known.FAMILIES.get(id);
        if (family == null) {
            throw new IllegalArgumentException("fabric " + id + " is not one of " + Known.FAMILIES.keySet());
        }
        return family;
    }

    /** Families by name, in the order in which they are listed. */
    final class Known {
        private static final Map<String, FabricFamily> FAMILIES = new LinkedHashMap<>();

        static {
            ServiceLoader.load(FabricFamily.class, FabricFamily.class.getClassLoader())
                    .forEach(family -> FAMILIES.put(family.id(), family));
        }

        private Known() {}
    }
}
