package io.shardsim.topology;

import java.util.List;

/**
 * One router per node, connected to its neighbours in up to three dimensions, of sizes as equal as the node count allows. Routing is dimension-order,
 * the shorter way around each ring (W. Dally and C. Seitz, The torus routing chip, Distributed Computing 1, 1986). A link between routers has the
 * total rate of a node's NICs.
 */
public record Torus() implements FabricFamily {
    private static final int DIMENSIONS = 3;

    @Override
    public String id() {
        return "torus";
    }

    @Override
    public String description() {
        return "a router in each node, connected to its neighbours in up to three dimensions";
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
    public Fabric build(Cluster cluster) {
        return new Routers(cluster);
    }

    private static final class Routers implements Fabric {
        private final int[] sizes = new int[DIMENSIONS];
        private final int nics;
        private final Link between;
        private final Link nicDown;

        Routers(Cluster cluster) {
            int rest = cluster.nodes();
            for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
                int most = (int) StrictMath.round(StrictMath.pow(rest, 1.0 / (DIMENSIONS - dimension)));
                while (rest % most != 0) {
                    most--;
                }
                sizes[dimension] = most;
                rest /= most;
            }
            FabricSpec spec = cluster.instance().fabric();
            NicSpec nic = cluster.instance().nic();
            nics = cluster.instance().nicsPerNode();
            between = new Link(
                    LinkClass.SPINE,
                    nic.effectiveRate().times(nics).scaled(1 / spec.oversubscription()),
                    0,
                    Math.max(1, spec.hopPs()));
            nicDown = new Link(LinkClass.NIC, nic.effectiveRate(), 0, between.latencyPs());
        }

        @Override
        public int portCount(int device) {
            return 2 * DIMENSIONS + nics;
        }

        @Override
        public Link link(int device, int port) {
            return port < 2 * DIMENSIONS ? between : nicDown;
        }

        @Override
        public String switchName(int node, int device, int port) {
            return "router " + node;
        }

        @Override
        public int nicPort(int nic) {
            return 2 * DIMENSIONS + nic;
        }

        @Override
        public void route(int source, int sourceNic, int destination, int destinationNic, Hops hops) {
            int at = source;
            int stride = 1;
            for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
                int size = sizes[dimension];
                int ahead = Math.floorMod(destination / stride - source / stride, size);
                boolean forward = 2 * ahead <= size;
                for (int left = forward ? ahead : size - ahead; left > 0; left--) {
                    hops.add(at, 0, 2 * dimension + (forward ? 0 : 1));
                    int place = at / stride % size;
                    at += (Math.floorMod(place + (forward ? 1 : -1), size) - place) * stride;
                }
                stride *= size;
            }
            hops.add(destination, 0, nicPort(destinationNic));
        }

        @Override
        public boolean isOutbound(int device, int port) {
            return false;
        }

        @Override
        public boolean isUp(int device, int port) {
            return port < 2 * DIMENSIONS;
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
            return (sizes[0] / 2 + sizes[1] / 2 + sizes[2] / 2) * between.latencyPs();
        }
    }
}
