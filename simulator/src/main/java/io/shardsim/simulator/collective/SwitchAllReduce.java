package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.Arrays;
import java.util.List;

/**
 * Common part of the all-reduces that the NVSwitch reduces inside a node (NVLink SHARP, NCCL's NVLS). A node here is an NVLink domain. The buffer is
 * cut into one share per head; the heads are the members of a node, at most 32. For every chunk, each member offers all shares. Each head reads the
 * sum of its own share from the switch, reduces it with the heads at the same position on other nodes over a {@link DoubleBinaryTree}, and writes the
 * result to the switch, which multicasts it.
 *
 * <p>In both directions each member's link carries (h + 1) / h of the buffer for h heads per node; in a ring of n members it is 2 (n - 1) / n. The
 * network carries one tree over the nodes per head, for an h-th of the buffer each. If a node has more members than heads, each member loads its
 * links like a head: the time is right and equal members stay equal, but network bytes are overcounted.
 *
 * <p>The switch is not a rank, so its reduction and multicast are written as messages between members that put the same bytes on the same links: half
 * of them when a chunk is reduced, half when the sum returns, to the next member of the node. The first chunk is offered to all members, so no sum is
 * available before every member has joined.
 *
 * <p>A chunk proceeds while later ones are offered, since the warps of NCCL's thread block share the work (src/device/all_reduce.h, NVLS and
 * NVLS_TREE). A program is strictly ordered, so chunk k is summed after chunk k + lag was offered, and so on.
 *
 * <p>Requires nodes with the same number of members, more than two. Leaves out user-registered buffers.
 */
abstract class SwitchAllReduce extends SingleKindAlgorithm {
    /** NCCL sets up no multicast for one or two GPUs (src/transport/nvls.cc, ncclNvlsInit). */
    static final int LEAST_MEMBERS_OF_NODE = 3;
    /** Maximum heads of a node (NCCL 2.26.2, src/include/device.h, NCCL_MAX_NVLS_ARITY; src/graph/search.cc, ncclTopoCompute). */
    private static final int HEADS_MAX = 32;

    private static final int NEXT = 0;
    /** Exceeds the number of chunks ever in flight. */
    private static final int LAGS_MAX = 1 << 12;

    SwitchAllReduce(String name) {
        super(name, Pattern.SWITCH, CollectiveKind.ALL_REDUCE);
    }

    /** Returns the number of heads of a node with that many members. */
    public static int heads(int members) {
        return Math.min(HEADS_MAX, members);
    }

    /** Returns whether groups over that many nodes are supported. */
    abstract boolean carries(int nodes);

    @Override
    boolean carries(CollectiveRequest request) {
        GroupPlacement placement = request.placement();
        return carries(placement.nodes()) && placement.even() && placement.membersOn(0) >= LEAST_MEMBERS_OF_NODE;
    }

    @Override
    long bytes(CollectiveRequest request) {
        return request.totalBytes();
    }

    /**
     * Slots 0, 1, ... lead to the following members on the node, cyclically, and the slot after them to the next member again, for finished sums.
     * Then come the heads below in the tree, and the one above. On each slot a member receives from the member that sends to it there.
     */
    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        Node node = Node.of(request, member, channel);
        int[] remote = node.remote();
        int edges = node.local() + remote.length;
        int[] sources = new int[edges];
        int[] targets = new int[edges];
        int[] slots = new int[edges];
        int[] nics = new int[edges];
        Arrays.fill(nics, ChannelProgram.NONE);
        for (int slot = 0; slot < node.local(); slot++) {
            int distance = slot == node.sums() ? 1 : slot + 1;
            sources[slot] = request.members()[node.neighbour(-distance)];
            targets[slot] = request.members()[node.neighbour(distance)];
            slots[slot] = slot;
        }
        for (int i = 0; i < remote.length; i++) {
            int slot = node.local() + i;
            int peer = node.head(remote[i]);
            sources[slot] = request.members()[peer];
            targets[slot] = sources[slot];
            slots[slot] = node.local()
                    + TreeAllReduce.indexOf(Node.of(request, peer, channel).remote(), node.node());
            nics[slot] = Rail.ownNic(request, member, channel);
        }
        return new ChannelProgram(sources, targets, slots, nics, primitives(request, channel, node));
    }

    private List<Primitive> primitives(CollectiveRequest request, int channel, Node node) {
        Chunks chunks = chunks(request, channel);
        Lags lags = Lags.of(request, chunks, node);
        int place = 8 * node.local() + 2 * node.children().length + (node.isRoot() ? 1 : 0);
        int role = Math.multiplyExact(LAGS_MAX, lags.finished()) + lags.summed();
        return shared.get(request, chunks, place, role, primitives -> {
            for (int i = 0; i < chunks.count() + lags.stored(); i++) {
                if (i < chunks.count()) {
                    offer(primitives, node, i, chunks.bytes(i));
                }
                int summed = i - lags.summed();
                if (summed >= 0 && summed < chunks.count()) {
                    sum(primitives, node, summed, chunks.bytes(summed));
                }
                int finished = i - lags.finished();
                if (finished >= 0 && finished < chunks.count()) {
                    finish(primitives, node, chunks.bytes(finished));
                }
                if (i >= lags.stored()) {
                    primitives.receive(node.sums(), node.exchanged(chunks.bytes(i - lags.stored())));
                }
            }
        });
    }

    /** Offers a chunk to the heads of the node. */
    private static void offer(PrimitiveList primitives, Node node, int chunk, long bytes) {
        if (chunk > 0) {
            primitives.send(NEXT, node.exchanged(bytes));
            return;
        }
        for (int peer = 0; peer < node.peers(); peer++) {
            primitives.send(peer, node.exchangedWithEach(bytes));
        }
    }

    /** Sums a chunk over the node and over the heads below, and sends it up the tree. */
    private static void sum(PrimitiveList primitives, Node node, int chunk, long bytes) {
        if (chunk > 0) {
            primitives.receiveReduce(NEXT, node.exchanged(bytes));
        } else {
            for (int peer = 0; peer < node.peers(); peer++) {
                primitives.receiveReduce(peer, node.exchangedWithEach(bytes));
            }
        }
        for (int child = 0; child < node.children().length; child++) {
            primitives.receiveReduce(node.local() + child, node.ownPart(bytes));
        }
        if (!node.isRoot()) {
            primitives.send(node.above(), node.ownPart(bytes));
        }
    }

    /** Sends the finished share down the tree, and to all members of the node. */
    private static void finish(PrimitiveList primitives, Node node, long bytes) {
        if (!node.isRoot()) {
            primitives.receive(node.above(), node.ownPart(bytes));
        }
        for (int child = node.children().length - 1; child >= 0; child--) {
            primitives.send(node.local() + child, node.ownPart(bytes));
        }
        primitives.send(node.sums(), node.exchanged(bytes));
    }

    /**
     * Position of a member.
     *
     * @param member position in the group
     * @param local members on each node
     * @param node position of its node
     * @param children nodes below in the channel's tree
     * @param parent node above, or {@link DoubleBinaryTree#NONE}
     * @param depth number of edges from this node to the root
     */
    private record Node(int member, int local, int node, int[] children, int parent, int depth) {

        static Node of(CollectiveRequest request, int member, int channel) {
            GroupPlacement placement = request.placement();
            int node = placement.nodeOf(member);
            int local = placement.membersOn(0);
            DoubleBinaryTree tree = new DoubleBinaryTree(placement.nodes(), channel % 2 == 1);
            int[] children = new int[2];
            int count = 0;
            for (int index = 0; index < 2; index++) {
                int child = tree.child(node, index);
                if (child != DoubleBinaryTree.NONE) {
                    children[count++] = child;
                }
            }
            int depth = 0;
            for (int at = tree.parent(node); at != DoubleBinaryTree.NONE; at = tree.parent(at)) {
                depth++;
            }
            return new Node(member, local, node, Arrays.copyOf(children, count), tree.parent(node), depth);
        }

        boolean isRoot() {
            return parent == DoubleBinaryTree.NONE;
        }

        int peers() {
            return local - 1;
        }

        /** Returns the slot for finished sums. */
        int sums() {
            return local - 1;
        }

        /** Returns the slot to the head above. */
        int above() {
            return local + children.length;
        }

        /** Returns the nodes below, then the one above. */
        int[] remote() {
            int[] remote = Arrays.copyOf(children, children.length + (isRoot() ? 0 : 1));
            if (!isRoot()) {
                remote[children.length] = parent;
            }
            return remote;
        }

        /** Returns the member a number of places after this one on the node, cyclically. */
        int neighbour(int distance) {
            int first = node * local;
            return first + Math.floorMod(member - first + distance, local);
        }

        /** Returns the member at the same position on another node. */
        int head(int other) {
            return member + (other - node) * local;
        }

        /** Returns the bytes of a chunk on a member's link, in one direction, on each of the two ways through the switch [bytes]. */
        long exchanged(long bytes) {
            return Chunks.ceilDiv(bytes * (heads(local) + 1), 2L * heads(local));
        }

        long exchangedWithEach(long bytes) {
            return Chunks.ceilDiv(exchanged(bytes), peers());
        }

        /** Returns the share of a chunk that a head reduces with other nodes [bytes]. */
        long ownPart(long bytes) {
            return Chunks.ceilDiv(bytes, heads(local));
        }
    }

    /**
     * Number of chunks by which the sum, the return from the root and the store of a chunk lag behind its offer: as many as are sent within the time
     * of each way on idle links.
     *
     * @param summed chunks offered while the switch reduces one
     * @param finished chunks offered until it has returned from the root
     */
    private record Lags(int summed, int finished) {

        static Lags of(CollectiveRequest request, Chunks chunks, Node node) {
            Transport transport = request.transport();
            long bytes = chunks.bytesMax();
            long periodPs = Math.max(1, transport.copyRate().serializationPs(2 * node.exchanged(bytes)));
            long switchPs = transport.intraStepPs()
                    + request.cluster().instance().intraNode().latencyPs();
            long throughSwitch = Math.min(1 + switchPs / periodPs, LAGS_MAX - 1);
            long throughTree = 0;
            if (!node.isRoot()) {
                long hopPs = transport.interStepPs()
                        + request.cluster().instance().nic().latencyPs()
                        + request.cluster().instance().nic().effectiveRate().serializationPs(node.ownPart(bytes));
                throughTree = 1 + 2L * node.depth() * hopPs / periodPs;
            }
            return new Lags((int) throughSwitch, Math.toIntExact(throughSwitch + throughTree));
        }

        /** Returns the chunks offered until it is stored: the second way through the switch is as long as the first. */
        int stored() {
            return finished + summed;
        }
    }
}
