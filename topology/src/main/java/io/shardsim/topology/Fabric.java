package io.shardsim.topology;

/**
 * What joins the NICs of a cluster's nodes. Its devices are numbered as {@link FabricFamily#devices} lists them; an output port lives with the node that it
 * feeds, or that feeds it.
 */
public interface Fabric {
    /** Number of output ports of a device. */
    int portCount(int device);

    /** The link behind an output port. */
    Link link(int device, int port);

    /** The switch that has an output port of a node's device, as people name it. */
    String switchName(int node, int device, int port);

    /** Output port of device 0 towards a NIC of its node. */
    int nicPort(int nic);

    /** Takes the hops from the wire of a NIC to that of a NIC of another node. */
    void route(int source, int sourceNic, int destination, int destinationNic, Hops hops);

    /** Whether what leaves a group of nodes passes this output port last, and nothing else does. */
    boolean isOutbound(int device, int port);

    /** Whether this output port lives with the sender: what follows the last one of them lives with the receiver. */
    boolean isUp(int device, int port);

    /** Whether output ports serve several nodes. */
    boolean sharesPorts();

    /** Equal for pairs of nodes between which routes are alike, unless ports are shared. */
    int distance(int source, int destination);

    /** Latency of the longest routes, the wires of the NICs left out [ps]. */
    long latencyPs();

    /** Takes one hop after the other. */
    interface Hops {
        void add(int node, int device, int port);
    }
}
