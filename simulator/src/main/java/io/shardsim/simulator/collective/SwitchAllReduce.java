package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.Arrays;
import java.util.List;

/**
 * What the all-reduces have in common whose sums inside a node the NVSwitch makes (NVLink SHARP, NCCL's NVLS). A node is what NVLink joins. The buffer is cut into one part for
 * each member of a node, its head, or for the first 32 of them. Of every chunk each member offers all parts; each head pulls the sum of its own out of the switch, joins it with
 * those of the heads of equal position on other nodes by a {@link DoubleBinaryTree}, and gives the result to the switch, which hands it to all.
 *
 * <p>In both directions each member's link carries (h + 1) / h of the buffer for h heads of a node, against 2 (n - 1) / n among n members in a ring; the network
 * carries what a tree over the nodes carries, of one h-th of the buffer for each head. Where a node has more members than heads, each loads its links as a head does: it takes as long, equal members stay equal, and only the bytes of the network are too
 * many.
 *
 * <p>The switch is not a rank, so what it adds up and hands out is written as messages between members that load the same links by the same bytes:
 * half of them when a chunk is summed, half when the sum comes back, to the next member of the node. The first chunk is offered to all members, so
 * nobody has a sum before everybody has joined.
 *
 * <p>A chunk goes on while later ones are offered, as the warps of NCCL's thread block share the work (src/device/all_reduce.h, NVLS and NVLS_TREE). A
 * program is one strict order, so chunk k is summed after chunk k + lag was offered, and so on.
 *
 * <p>Asks for nodes that hold the same number of members, more than two. Leaves out buffers that the application has registered.
 */
abstract class SwitchAllReduce extends SingleKindAlgorithm {
    /** NCCL sets up no multicast for one or two GPUs (src/transport/nvls.cc, ncclNvlsInit). */
    static final int LEAST_MEMBERS_OF_NODE = 3;
    /** Most heads of a node (NCCL 2.26.2, src/include/device.h, NCCL_MAX_NVLS_ARITY; src/graph/search.cc, ncclTopoCompute). */
    private static final int HEADS_MAX = 32;

    private static final int NEXT = 0;
    /** More chunks than are ever added up at once. */
    private static final int LAGS_MAX = 1 << 12;

    SwitchAllReduce(String name) {
        super(name, Pattern.SWITCH, CollectiveKind.ALL_REDUCE);
    }

    /** Heads of a node that holds so many members. */
    public static int heads(int members) {
        return Math.min(HEADS_MAX, members);
    }

    /** True when a group over so many nodes is meant. */
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
     * Slots 0, 1, ... lead to the members after this one on the node, round and round, the slot after them to the next one again, for sums; then come
     * the heads below in the tree and the one above. A member receives on each slot from the one that sends to it there.
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

    /** What the heads of the node pull out of this member's buffer. */
    private static void offer(PrimitiveList primitives, Node node, int chunk, long bytes) {
        if (chunk > 0) {
            primitives.send(NEXT, node.exchanged(bytes));
            return;
        }
        for (int peer = 0; peer < node.peers(); peer++) {
            primitives.send(peer, node.exchangedWithEach(bytes));
        }
    }

    /** The sum over the node, and over the heads below it, goes up the tree. */
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

    /** The finished part goes down the tree and to all members of the node. */
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
     * Where a member stands.
     *
     * @param member position in the group
     * @param local members on each node
     * @param node position of its node
     * @param children nodes below in the channel's tree
     * @param parent node above, or {@link DoubleBinaryTree#NONE}
     * @param depth nodes between this one and the root, the root included
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

        /** Slot by which finished sums pass. */
        int sums() {
            return local - 1;
        }

        /** Slot that leads to the head above. */
        int above() {
            return local + children.length;
        }

        /** Nodes below, then the one above. */
        int[] remote() {
            int[] remote = Arrays.copyOf(children, children.length + (isRoot() ? 0 : 1));
            if (!isRoot()) {
                remote[children.length] = parent;
            }
            return remote;
        }

        /** The member so many places after this one on the node. */
        int neighbour(int distance) {
            int first = node * local;
            return first + Math.floorMod(member - first + distance, local);
        }

        /** The member with the same position on another node. */
        int head(int other) {
            return member + (other - node) * local;
        }

        /** What a member's link carries of a chunk in one direction, of its two ways through the switch [bytes]. */
        long exchanged(long bytes) {
            return Chunks.ceilDiv(bytes * (heads(local) + 1), 2L * heads(local));
        }

        long exchangedWithEach(long bytes) {
            return Chunks.ceilDiv(exchanged(bytes), peers());
        }

        /** The part of a chunk that a head joins with other nodes [bytes]. */
        long ownPart(long bytes) {
            return Chunks.ceilDiv(bytes, heads(local));
        }
    }

    /**
     * How many chunks later than offered a chunk is summed, finished and stored: as many as follow one another within the time of each way on idle
     * links.
     *
     * @param summed chunks that are offered while the switch adds one up
     * @param finished chunks that are offered until it is back from the root
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

        /** Chunks that are offered until it is stored: the way back through the switch is as long as the way to the sum. */
        int stored() {
            return finished + summed;
        }
    }
}
