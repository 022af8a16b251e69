package io.shardsim.topology;

/**
 * Network between the NICs of a cluster's nodes. Its devices are numbered as {@link FabricFamily#devices} lists them; an output port lives with the
 * node that it feeds, or that feeds it.
 */
public interface Fabric {
    /** Returns the number of output ports of a device. */
    int portCount(int device);

    /** Returns the link of an output port. */
    Link link(int device, int port);

    /** Returns the human-readable name of the switch that has an output port of a node's device. */
    String switchName(int node, int device, int port);

    /** Returns the output port of device 0 towards a NIC of its node. */
    int nicPort(int nic);

    /** Passes the hops from a NIC to a NIC of another node, wire to wire, to {@code hops}. */
    void route(int source, int sourceNic, int destination, int destinationNic, Hops hops);

    /** Returns whether this output port is the last hop of all traffic that leaves a group of nodes, and of no other. */
    boolean isOutbound(int device, int port);

    /** Returns whether this output port lives with the sender; ports after the last such one live with the receiver. */
    boolean isUp(int device, int port);

    /** Returns whether output ports serve several nodes. */
    boolean sharesPorts();

    /** Returns a number that is equal for pairs of nodes with equivalent routes, unless ports are shared. */
    int distance(int source, int destination);

    /** Returns the latency of the longest route, without the wires of the NICs [ps]. */
    long latencyPs();

    /** Receiver of a route's hops, one by one. */
    interface Hops {
        void add(int node, int device, int port);
    }
}
