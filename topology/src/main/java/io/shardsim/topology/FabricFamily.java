package io.shardsim.topology;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Family of fabrics: one class each, listed in {@code META-INF/services}. */
public interface FabricFamily {
    /** Returns the name in scenario files, for example {@code leaf_spine}. */
    String id();

    /** Returns a human-readable description. */
    String description();

    /** Returns the names of a node's share of the fabric's devices, those next to its NICs first. */
    List<String> devices(FabricSpec spec, int nodes);

    /** Returns the number of nodes per group, from the first node on; only {@link Fabric#isOutbound} hops leave a group. */
    int groupNodes(FabricSpec spec, int nodes);

    /** Returns why this fabric cannot connect that number of nodes; null if it can. */
    default @Nullable String problem(FabricSpec spec, int nodes) {
        return null;
    }

    /** Returns whether an NVLink domain can span several nodes. */
    default boolean joinsDomains() {
        return false;
    }

    /** Builds the fabric between the nodes of a cluster. */
    Fabric build(Cluster cluster);

    /** Returns all families. */
    static List<FabricFamily> all() {
        return List.copyOf(Known.FAMILIES.values());
    }

    /** Returns the family of this name. */
    static FabricFamily named(String id) {
        FabricFamily family = Known.FAMILIES.get(id);
        if (family == null) {
            throw new IllegalArgumentException("fabric " + id + " is not one of " + Known.FAMILIES.keySet());
        }
        return family;
    }

    /** Families by name, in listing order. */
    final class Known {
        private static final Map<String, FabricFamily> FAMILIES = new LinkedHashMap<>();

        static {
            ServiceLoader.load(FabricFamily.class, FabricFamily.class.getClassLoader())
                    .forEach(family -> FAMILIES.put(family.id(), family));
        }

        private Known() {}
    }
}
