package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.topology.InstanceSpec;
import java.util.Arrays;
import java.util.List;

/**
 * Tree all-reduce: chunks are reduced up a tree to its root and broadcast back down, both pipelined. A {@link DoubleBinaryTree} connects the nodes, whose
 * two trees alternate between channels; a chain connects the members of a node. The head of the chain, next to the channel's NIC, communicates with
 * the parent and the second child; the member after it, next to the same NIC, with the first child (NCCL's balanced tree, src/graph/connect.cc,
 * ncclTopoPreset and connectTrees).
 *
 * <p>Every edge carries the buffer once up and once down: 2 (n - 1) / n of it per rank on average, in 2 log2(nodes) network steps.
 *
 * <p>NCCL runs both directions at once, in two halves of a thread block (src/device/all_reduce.h, runTreeSplit). A program is strictly ordered, so a
 * member sends chunk k down right after it has sent chunk k + lag up. The lag is about the number of chunks in flight between the member, the root
 * and back. Members deeper in the tree have a larger lag, which prevents cyclic waits.
 *
 * <p>Not modelled: NCCL reduces up to three sources and feeds up to three peers in one pass over the data.
 */
public final class TreeAllReduce extends SingleKindAlgorithm {
    /** Sends of a chunk per node of a double binary tree, on average: up in both trees, and down to two children in one of them. */
    private static final int SENDS_PER_NODE = 2;

    /** On a network hop, one chunk waits for the NIC, which channels share, and one for the reducing thread block. */
    private static final int WAITING_PER_NETWORK_HOP = 2;

    public TreeAllReduce() {
        super("tree", Pattern.TREE, CollectiveKind.ALL_REDUCE);
    }

    @Override
    long bytes(CollectiveRequest request) {
        return request.totalBytes();
    }

    /** Slots 0, 1, ... lead to the members below, the slot after them to the member above. */
    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        Tree tree = new Tree(request, channel);
        int[] below = tree.below(member);
        int above = tree.above(member);
        int peers = below.length + (above == DoubleBinaryTree.NONE ? 0 : 1);
        int[] peerRanks = new int[peers];
        int[] peerSlots = new int[peers];
        int[] nics = new int[peers];
        for (int slot = 0; slot < peers; slot++) {
            int peer = slot < below.length ? below[slot] : above;
            peerRanks[slot] = request.members()[peer];
            peerSlots[slot] = slot < below.length ? tree.below(peer).length : indexOf(tree.below(peer), member);
            nics[slot] = tree.nic(member, peer);
        }
        return new ChannelProgram(
                peerRanks,
                peerRanks,
                peerSlots,
                nics,
                primitives(request, channel, below.length, tree.distance(member)));
    }

    private List<Primitive> primitives(CollectiveRequest request, int channel, int below, Distance distance) {
        Chunks chunks = chunks(request, channel);
        boolean root = distance.hops() == 0;
        int lag = root ? 0 : lag(request, chunks, distance);
        return shared.get(request, chunks, below, root ? -1 : lag, primitives -> {
            for (int i = 0; i < chunks.count() + lag; i++) {
                if (i < chunks.count()) {
                    reduce(primitives, below, root, chunks.bytes(i));
                }
                if (i >= lag && !root) {
                    broadcast(primitives, below, chunks.bytes(i - lag));
                }
            }
        });
    }

    /**
     * Returns the chunks in flight on the round trip: as many as are sent within its time on idle links, plus those that wait at each hop. With a
     * smaller lag the pipeline stalls, with a larger one it drains late.
     */
    private int lag(CollectiveRequest request, Chunks chunks, Distance distance) {
        Transport transport = request.transport();
        long periodPs = transport.reduceRate().serializationPs(chunks.bytesMax());
        if (request.placement().nodes() > 1) {
            int channelsPerNic = Math.max(1, channels(request) / Rail.nicsBeside(request, 0));
            long bytes = SENDS_PER_NODE * chunks.bytesMax() * channelsPerNic;
            periodPs = Math.max(
                    periodPs, request.cluster().instance().nic().effectiveRate().serializationPs(bytes));
        }
        long lag = 2 * (distance.waitingChunks() + distance.idlePs() / Math.max(1, periodPs)) + 1;
        return (int) Math.min(lag, chunks.count());
    }

    /** Sums the chunks of the members below and sends the sum up, or, at the root, down. */
    private static void reduce(PrimitiveList primitives, int below, boolean root, long chunkBytes) {
        int last = below - 1;
        if (below == 0) {
            primitives.send(0, chunkBytes);
            return;
        }
        for (int slot = 0; slot < last; slot++) {
            primitives.receiveReduce(slot, chunkBytes);
        }
        primitives.receiveReduceSend(1, last, root ? last : below, chunkBytes);
        if (root) {
            sendDown(primitives, last, chunkBytes);
        }
    }

    /** Receives a finished chunk from above and forwards it, to other nodes first, because their subtrees are deeper. */
    private static void broadcast(PrimitiveList primitives, int below, long chunkBytes) {
        if (below == 0) {
            primitives.receive(0, chunkBytes);
            return;
        }
        primitives.receiveCopySend(1, below, below - 1, chunkBytes);
        sendDown(primitives, below - 1, chunkBytes);
    }

    private static void sendDown(PrimitiveList primitives, int slots, long chunkBytes) {
        for (int slot = slots - 1; slot >= 0; slot--) {
            primitives.send(slot, chunkBytes);
        }
    }

    static int indexOf(int[] values, int value) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == value) {
                return i;
            }
        }
        throw new IllegalStateException(value + " is not below the member that it sends to");
    }

    /** Tree of one channel over the members of a request. */
    private static final class Tree {
        private final CollectiveRequest request;
        private final int rail;
        private final GroupPlacement placement;
        private final DoubleBinaryTree nodes;

        Tree(CollectiveRequest request, int channel) {
            this.request = request;
            this.rail = channel / 2;
            this.placement = request.placement();
            this.nodes = new DoubleBinaryTree(placement.nodes(), channel % 2 == 1);
        }

        /** Returns the members of a node from the head down: entry and exit of the rail, which share a NIC, then the others. */
        private int[] chain(int node) {
            int[] visit = Rail.of(request, node, rail).members();
            int[] chain = new int[visit.length];
            chain[0] = visit[0];
            for (int i = 1; i < visit.length; i++) {
                chain[i] = i == 1 ? visit[visit.length - 1] : visit[i - 1];
            }
            return chain;
        }

        /** Returns the member that communicates with the first or the second child. */
        private static int speaker(int[] chain, int childIndex) {
            return childIndex == 0 ? chain[Math.min(1, chain.length - 1)] : chain[0];
        }

        int above(int member) {
            int node = placement.nodeOf(member);
            int[] chain = chain(node);
            int position = indexOf(chain, member);
            if (position > 0) {
                return chain[position - 1];
            }
            int parent = nodes.parent(node);
            if (parent == DoubleBinaryTree.NONE) {
                return DoubleBinaryTree.NONE;
            }
            return speaker(chain(parent), nodes.child(parent, 0) == node ? 0 : 1);
        }

        /** Returns the next member in the chain, then the heads of other nodes. */
        int[] below(int member) {
            int node = placement.nodeOf(member);
            int[] chain = chain(node);
            int position = indexOf(chain, member);
            int[] below = new int[3];
            int count = 0;
            if (position + 1 < chain.length) {
                below[count++] = chain[position + 1];
            }
            for (int index = 0; index < 2; index++) {
                int child = nodes.child(node, index);
                if (child != DoubleBinaryTree.NONE && speaker(chain, index) == member) {
                    below[count++] = chain(child)[0];
                }
            }
            return Arrays.copyOf(below, count);
        }

        int nic(int from, int to) {
            int node = placement.nodeOf(from);
            return node == placement.nodeOf(to)
                    ? ChannelProgram.NONE
                    : Rail.of(request, node, rail).nic();
        }

        Distance distance(int member) {
            Distance distance = new Distance(0, 0, 0);
            int above = above(member);
            for (int at = member; above != DoubleBinaryTree.NONE; at = above, above = above(at)) {
                distance = distance.plus(hop(placement.nodeOf(at) == placement.nodeOf(above)));
            }
            return distance;
        }

        private Distance hop(boolean local) {
            Transport transport = request.transport();
            InstanceSpec instance = request.cluster().instance();
            long sliceBytes = Math.max(1, Math.min(transport.chunkBytes(), request.totalBytes()) / transport.slices());
            long reducePs = transport.reduceRate().serializationPs(sliceBytes);
            if (local) {
                return new Distance(
                        1,
                        1,
                        reducePs
                                + transport.intraStepPs()
                                + instance.intraNode().latencyPs());
            }
            long wirePs =
                    instance.nic().latencyPs() + instance.nic().effectiveRate().serializationPs(sliceBytes);
            return new Distance(1, WAITING_PER_NETWORK_HOP, reducePs + transport.interStepPs() + wirePs);
        }
    }

    /**
     * Distance from a member to the root.
     *
     * @param hops number of edges
     * @param waitingChunks chunks that wait on the way while the pipeline is full
     * @param idlePs time of a slice on idle links [ps]
     */
    private record Distance(int hops, int waitingChunks, long idlePs) {
        Distance plus(Distance other) {
            return new Distance(hops + other.hops, waitingChunks + other.waitingChunks, idlePs + other.idlePs);
        }
    }
}
