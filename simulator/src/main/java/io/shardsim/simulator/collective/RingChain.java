package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.List;

/**
 * Common part of the broadcasts: one rank's buffer passes along the ring as a pipelined chain, without the edge back to the root. Every other rank
 * receives the buffer once; all but the last forward it, chunk by chunk. Steps as in NCCL, src/device/broadcast.h, runRing.
 */
abstract class RingChain extends SingleKindAlgorithm {
    private static final int FIRST = 0;
    private static final int MIDDLE = 1;
    private static final int LAST = 2;
    private static final int FROM_PREVIOUS = 0;
    private static final int TO_NEXT = 0;
    private static final int[] NOBODY = {};

    RingChain(CollectiveKind kind) {
        super("ring", Pattern.RING, kind);
    }

    /** Returns the member that starts with the buffer. */
    abstract int root(CollectiveRequest request);

    @Override
    long bytes(CollectiveRequest request) {
        return request.totalBytes();
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        RingOrder order = RingOrder.of(request, member, channel);
        int[] members = request.members();
        int role = member == root(request) ? FIRST : order.next() == root(request) ? LAST : MIDDLE;
        boolean sends = role != LAST;
        return new ChannelProgram(
                role == FIRST ? NOBODY : new int[] {members[order.previous()]},
                sends ? new int[] {members[order.next()]} : NOBODY,
                sends ? new int[] {FROM_PREVIOUS} : NOBODY,
                sends ? new int[] {order.nic()} : NOBODY,
                primitives(request, channel, role));
    }

    private List<Primitive> primitives(CollectiveRequest request, int channel, int role) {
        Chunks chunks = chunks(request, channel);
        return shared.get(request, chunks, 0, role, primitives -> {
            for (int i = 0; i < chunks.count(); i++) {
                switch (role) {
                    case FIRST -> primitives.send(TO_NEXT, chunks.bytes(i));
                    case MIDDLE -> primitives.receiveCopySend(1, FROM_PREVIOUS, TO_NEXT, chunks.bytes(i));
                    default -> primitives.receive(FROM_PREVIOUS, chunks.bytes(i));
                }
            }
        });
    }
}
