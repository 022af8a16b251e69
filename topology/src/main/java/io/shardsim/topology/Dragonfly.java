package io.shardsim.topology;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups of routers: each router connects to all others of its group, and each group has one cable to every other group; routing is minimal (J. Kim,
 * W. Dally, S. Scott and D. Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008). {@code nodesPerLeaf} nodes share a router,
 * {@code nodesPerPod} a group. A group's cables are assigned to its routers round-robin; together they have the rate of its NICs, divided by the
 * oversubscription. Inside a group a router's cables have twice the rate of its NICs, as in the paper's balanced network.
 *
 * <p>Leaves out non-minimal routes through a third group, which spread traffic to one group.
 */
public record Dragonfly() implements FabricFamily {
    @Override
    public String id() {
        return "dragonfly";
    }

    @Override
    public String description() {
        return "a router joins all NICs of its nodes and all routers of its group, and a cable joins each pair of groups";
    }

    @Override
    public List<String> devices(FabricSpec spec, int nodes) {
        return List.of("Router");
    }

    @Override
    public int groupNodes(FabricSpec spec, int nodes) {
        return nodes;
    }

    @Override
    public @Nullable String problem(FabricSpec spec, int nodes) {
        boolean whole = spec.nodesPerPod() >= nodes || spec.nodesPerPod() % spec.nodesPerLeaf() == 0;
        return whole
                ? null
                : SwitchTree.notMultiple("nodes_per_pod", spec.nodesPerPod(), "nodes_per_leaf", spec.nodesPerLeaf());
    }

    @Override
    public Fabric build(Cluster cluster) {
        return new Routers(cluster);
    }

    /** Routers as devices; each lives with its first node. Ports lead to the routers of the group, then to the other groups, then to NICs. */
    private static final class Routers implements Fabric {
        private final int nodes;
        private final int routerNodes;
        private final int groupNodes;
        private final int groups;
        private final int nics;
        private final Link inGroup;
        private final Link betweenGroups;
        private final Link nicDown;

        Routers(Cluster cluster) {
            FabricSpec spec = cluster.instance().fabric();
            NicSpec nic = cluster.instance().nic();
            nodes = cluster.nodes();
            routerNodes = Math.min(nodes, spec.nodesPerLeaf());
            groupNodes = Math.min(nodes, spec.nodesPerPod());
            groups = (nodes - 1) / groupNodes + 1;
            long hopPs = Math.max(1, spec.hopPs());
            nics = cluster.instance().nicsPerNode();
            double inGroupNics = 2.0 * nics * routerNodes / routers(0);
            double betweenNics = (double) nics * groupNodes / Math.max(1, groups - 1) / spec.oversubscription();
            inGroup = new Link(LinkClass.SPINE, nic.effectiveRate().scaled(inGroupNics), 0, hopPs);
            betweenGroups = new Link(LinkClass.SPINE, nic.effectiveRate().scaled(betweenNics), 0, hopPs);
            nicDown = new Link(LinkClass.NIC, nic.effectiveRate(), 0, hopPs);
        }

        /** Returns the number of routers of a group; the last may have fewer. */
        private int routers(int group) {
            return (Math.min(groupNodes, nodes - group * groupNodes) - 1) / routerNodes + 1;
        }

        /** Returns the first node of the router that has the cable from one group to another. */
        private int gateway(int group, int other) {
            int cable = Math.floorMod(other - group - 1, groups);
            return group * groupNodes + cable % routers(group) * routerNodes;
        }

        private int routerOf(int node) {
            int inside = node % groupNodes;
            return node - inside + inside / routerNodes * routerNodes;
        }

        @Override
        public int portCount(int device) {
            return nicPort(nics);
        }

        @Override
        public Link link(int device, int port) {
            return port < routers(0) ? inGroup : port < nicPort(0) ? betweenGroups : nicDown;
        }

        @Override
        public String switchName(int node, int device, int port) {
            return "router " + routerOf(node);
        }

        @Override
        public int nicPort(int nic) {
            return routers(0) + groups + nic;
        }

        @Override
        public void route(int source, int sourceNic, int destination, int destinationNic, Hops hops) {
            int group = source / groupNodes;
            int other = destination / groupNodes;
            int at = routerOf(source);
            if (group != other) {
                at = inGroup(at, gateway(group, other), hops);
                hops.add(at, 0, routers(0) + other);
                at = gateway(other, group);
            }
            inGroup(at, routerOf(destination), hops);
            hops.add(destination, 0, nicPort(destinationNic));
        }

        private int inGroup(int from, int to, Hops hops) {
            if (from != to) {
                hops.add(from, 0, to % groupNodes / routerNodes);
            }
            return to;
        }

        @Override
        public boolean isOutbound(int device, int port) {
            return false;
        }

        @Override
        public boolean isUp(int device, int port) {
            return port < nicPort(0);
        }

        @Override
        public boolean sharesPorts() {
            return true;
        }

        @Override
        public int distance(int source, int destination) {
            return 0;
        }

        @Override
        public long latencyPs() {
            int inside = routers(0) > 1 ? 1 : 0;
            int atTheOther = routers(groups > 2 ? 1 : groups - 1) > 1 ? 1 : 0;
            return (groups == 1 ? inside : inside + 1 + atTheOther) * inGroup.latencyPs();
        }
    }
}
