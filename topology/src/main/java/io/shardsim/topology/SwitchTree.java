package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Switches in two tiers, leaves and spines, or in three, with core switches above.
 *
 * <p>A leaf connects the NICs of {@code nodesPerLeaf} nodes: all of them, or with rails only the NICs of one index. Spines connect the leaves of a
 * pod, cores the pods. Only leaves are oversubscribed.
 *
 * <p>Adaptive routing spreads a leaf's traffic over all uplinks, so they are modelled as one link. If their capacity equals that of the NICs below, no
 * NIC can take another's share, and each node has its own link. Other routes are drawn at random: uplink k of a leaf leads to spine k, and its output
 * port lives with node k of the leaf.
 *
 * <p>Output ports: leaf 0 to u - 1 up, u + j towards NIC j; spine 0 to u - 1 down, then u up; core down. u is the number of rails, or of NICs if
 * routes are drawn.
 */
final class SwitchTree implements Fabric {
    private static final List<String> TWO_TIERS = List.of("Leaf", "Spine");
    private static final List<String> THREE_TIERS = List.of("Leaf", "Spine", "Core");
    private static final int LEAF = 0;
    private static final int SPINE = 1;
    private static final int CORE = 2;

    private final FabricSpec spec;
    private final int nics;
    /** Number of parallel leaves, each with its own NICs. */
    private final int planes;
    /** NICs of a node on each plane. */
    private final int nicsOfPlane;

    private final boolean threeTiers;
    private final boolean pooled;
    private final int up;
    private final Link uplink;
    private final Link podUplink;
    private final Link nicDown;
    /** Uplinks that static routes assign to a leaf's NICs, by leaf and plane; null unless routing is static. */
    private final int @Nullable [][] dealt;

    /**
     * @param rails whether a leaf connects the NICs of one index
     * @param pooled whether a leaf's uplinks are one link even if one link per node would be equivalent
     */
    SwitchTree(Cluster cluster, boolean rails, boolean pooled) {
        spec = cluster.instance().fabric();
        nics = cluster.instance().nicsPerNode();
        planes = rails ? nics : 1;
        nicsOfPlane = nics / planes;
        threeTiers = cluster.nodes() > spec.nodesPerPod();
        boolean drawn = spec.routing() != Routing.ADAPTIVE;
        this.pooled = !drawn && (pooled || spec.oversubscription() > 1);
        up = drawn ? nics : planes;
        Bandwidth nic = cluster.instance().nic().effectiveRate();
        Bandwidth ofNode = nic.times(nicsOfPlane).scaled(1 / spec.oversubscription());
        Bandwidth ofLeaf =
                nic.times(Math.multiplyExact(nicsOfPlane, spec.nodesPerLeaf())).scaled(1 / spec.oversubscription());
        uplink = link(LinkClass.SPINE, drawn ? nic : this.pooled ? ofLeaf : ofNode);
        podUplink = this.pooled && threeTiers
                ? link(LinkClass.SPINE, ofLeaf.times(spec.nodesPerPod() / spec.nodesPerLeaf()))
                : uplink;
        nicDown = link(LinkClass.NIC, nic);
        dealt = spec.routing() == Routing.STATIC ? dealt(cluster.nodes()) : null;
    }

    private Link link(LinkClass linkClass, Bandwidth rate) {
        return new Link(linkClass, rate, 0, Math.max(1, spec.hopPs()));
    }

    /** Common parts of the families of switch trees. */
    interface Family extends FabricFamily {
        @Override
        default List<String> devices(FabricSpec spec, int nodes) {
            return nodes > spec.nodesPerPod() ? THREE_TIERS : TWO_TIERS;
        }

        @Override
        default int groupNodes(FabricSpec spec, int nodes) {
            return nodes > spec.nodesPerPod()
                    ? spec.nodesPerPod()
                    : Math.max(spec.nodesPerLeaf(), spec.nodesPerDomain());
        }

        @Override
        default @Nullable String problem(FabricSpec spec, int nodes) {
            int leaf = spec.nodesPerLeaf();
            int pod = spec.nodesPerPod();
            if (pod != FabricSpec.ALL && pod % leaf != 0) {
                return notMultiple("nodes_per_pod", pod, "nodes_per_leaf", leaf);
            }
            boolean drawn = spec.routing() != Routing.ADAPTIVE;
            if (drawn && nodes > leaf && nodes % leaf != 0) {
                return notMultiple("nodes", nodes, "nodes_per_leaf", leaf) + ", or routing: adaptive";
            }
            return drawn && nodes > pod && nodes % pod != 0
                    ? notMultiple("nodes", nodes, "nodes_per_pod", pod) + ", or routing: adaptive"
                    : null;
        }
    }

    static String notMultiple(String key, int value, String of, int multiple) {
        return key + " " + value + " is not a multiple of " + of + " " + multiple + "; write " + key + ": "
                + (value / multiple + 1) * multiple;
    }

    @Override
    public int portCount(int device) {
        return device == LEAF ? up + nics : device == SPINE && threeTiers ? 2 * up : up;
    }

    @Override
    public Link link(int device, int port) {
        return device == LEAF ? port < up ? uplink : nicDown : device == SPINE && port < up ? uplink : podUplink;
    }

    @Override
    public String switchName(int node, int device, int port) {
        if (device == LEAF) {
            int plane = port < up ? port * planes / up : planeOf(port - up);
            return "leaf " + leafOf(node) + (planes == 1 ? "" : "." + plane);
        }
        return device == CORE ? "cores" : threeTiers ? "spines " + podOf(node) : "spines";
    }

    @Override
    public int nicPort(int nic) {
        return up + nic;
    }

    @Override
    public void route(int source, int sourceNic, int destination, int destinationNic, Hops hops) {
        int plane = planeOf(sourceNic);
        int arrival = planeOf(destinationNic);
        if (leafOf(source) != leafOf(destination) || plane != arrival) {
            int path = path(source, sourceNic, destination, destinationNic);
            hops.add(atLeaf(source, path), LEAF, port(plane, path));
            if (podOf(source) != podOf(destination)) {
                int core = core(source, sourceNic, destination, destinationNic);
                hops.add(atPod(source, core, path), SPINE, up + port(plane, path));
                hops.add(atPod(destination, core, path), CORE, port(arrival, path));
            }
            hops.add(atLeaf(destination, path), SPINE, port(arrival, path));
        }
        hops.add(destination, LEAF, up + destinationNic);
    }

    private int leafOf(int node) {
        return node / spec.nodesPerLeaf();
    }

    private int podOf(int node) {
        return node / spec.nodesPerPod();
    }

    private int planeOf(int nic) {
        return nic / nicsOfPlane;
    }

    /** Returns the uplink of the leaf: the only one unless routes are drawn. */
    private int path(int source, int sourceNic, int destination, int destinationNic) {
        int uplinks = Math.max(1, (int) (spec.nodesPerLeaf() * nicsOfPlane / spec.oversubscription()));
        return switch (spec.routing()) {
            case ADAPTIVE -> 0;
            case STATIC -> uplinkDealt(destination, destinationNic) % uplinks;
            case ECMP ->
                (int) Long.remainderUnsigned(
                        draw(source * nics + sourceNic, destination * nics + destinationNic), uplinks);
        };
    }

    /** Returns the uplink of the spine. */
    private int core(int source, int sourceNic, int destination, int destinationNic) {
        int leaves = spec.nodesPerPod() / spec.nodesPerLeaf();
        return switch (spec.routing()) {
            case ADAPTIVE -> 0;
            case STATIC -> (int) Long.remainderUnsigned(draw(-1, podOf(destination)) + leafOf(destination), leaves);
            case ECMP ->
                (int) Long.remainderUnsigned(
                        draw(destination * nics + destinationNic, source * nics + sourceNic), leaves);
        };
    }

    private int port(int plane, int path) {
        return spec.routing() == Routing.ADAPTIVE ? plane : plane * nicsOfPlane + path % nicsOfPlane;
    }

    /** Returns the node with which a port of a leaf, or of the spine towards it, lives. */
    private int atLeaf(int node, int path) {
        if (spec.routing() == Routing.ADAPTIVE) {
            return pooled ? leafOf(node) * spec.nodesPerLeaf() : node;
        }
        return leafOf(node) * spec.nodesPerLeaf() + path / nicsOfPlane;
    }

    /** Returns the node with which a port of a pod's spines, or of the core towards them, lives. */
    private int atPod(int node, int core, int path) {
        if (spec.routing() == Routing.ADAPTIVE) {
            return pooled ? podOf(node) * spec.nodesPerPod() : node;
        }
        return podOf(node) * spec.nodesPerPod() + core * spec.nodesPerLeaf() + path / nicsOfPlane;
    }

    private int[][] dealt(int nodes) {
        int each = spec.nodesPerLeaf() * nicsOfPlane;
        int[][] all = new int[(leafOf(nodes - 1) + 1) * planes][each];
        for (int leaf = 0; leaf < all.length; leaf++) {
            int[] uplinks = all[leaf];
            int key = leaf;
            int[] order = IntStream.range(0, each)
                    .boxed()
                    .sorted(Comparator.comparingLong(nic -> draw(key, nic)))
                    .mapToInt(nic -> nic)
                    .toArray();
            for (int place = 0; place < each; place++) {
                uplinks[order[place]] = place;
            }
        }
        return all;
    }

    private int uplinkDealt(int node, int nic) {
        int[] uplinks = Objects.requireNonNull(dealt)[leafOf(node) * planes + planeOf(nic)];
        return uplinks[node % spec.nodesPerLeaf() * nicsOfPlane + nic % nicsOfPlane];
    }

    /** Draws a number for a pair: the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) over seed and pair, twice. */
    private long draw(int one, int other) {
        return mixed(mixed(spec.routeSeed()) + ((long) one << Integer.SIZE | other & 0xffffffffL));
    }

    private static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    @Override
    public boolean isOutbound(int device, int port) {
        return threeTiers ? device == SPINE && port >= up : device == LEAF && port < up;
    }

    @Override
    public boolean isUp(int device, int port) {
        return device == LEAF && port < up || device == SPINE && port >= up;
    }

    @Override
    public boolean sharesPorts() {
        return spec.nodesPerLeaf() > 1 && (pooled || spec.routing() != Routing.ADAPTIVE);
    }

    @Override
    public int distance(int source, int destination) {
        return leafOf(source) == leafOf(destination) ? 0 : podOf(source) == podOf(destination) ? 1 : 2;
    }

    @Override
    public long latencyPs() {
        return (threeTiers ? 4 : 2) * uplink.latencyPs();
    }
}
