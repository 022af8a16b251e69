package io.shardsim.simulator.collective;

/**
 * Neighbours of a member on the ring of one channel: through each node along its {@link Rail}, node by node in ascending order, and from the last
 * node to the first.
 *
 * @param previous member to receive from
 * @param next member to send to
 * @param nic NIC towards the next member; {@link ChannelProgram#NONE} if it is on the same node
 */
public record RingOrder(int previous, int next, int nic) {

    public static RingOrder of(CollectiveRequest request, int member, int channel) {
        GroupPlacement placement = request.placement();
        int nodes = placement.nodes();
        int node = placement.nodeOf(member);
        Rail rail = Rail.of(request, node, channel);
        int position = rail.positionOf(member);
        int previous = position > 0
                ? rail.members()[position - 1]
                : Rail.of(request, (node + nodes - 1) % nodes, channel).exit();
        boolean leaves = position == rail.members().length - 1;
        int next = leaves ? Rail.of(request, (node + 1) % nodes, channel).entry() : rail.members()[position + 1];
        return new RingOrder(previous, next, leaves && nodes > 1 ? rail.nic() : ChannelProgram.NONE);
    }
}
