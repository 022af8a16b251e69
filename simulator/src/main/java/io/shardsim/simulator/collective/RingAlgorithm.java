package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.List;

/**
 * Common part of the ring collectives: each member receives from the previous one and sends to the next, with the same primitives in the same order,
 * on every channel over its share of each shard, chunk by chunk (NCCL, src/device/all_gather.h, reduce_scatter.h, all_reduce.h, function runRing).
 *
 * <p>Shards are padded to equal size, so all members send the same bytes; NCCL's last all-reduce chunk may be shorter on one rank.
 */
public abstract class RingAlgorithm extends SingleKindAlgorithm {
    protected static final int FROM_PREVIOUS = 0;
    protected static final int TO_NEXT = 0;

    protected RingAlgorithm(CollectiveKind kind) {
        super("ring", Pattern.RING, kind);
    }

    /** Writes the primitives of a member for one chunk of every shard; there are at least two ranks. */
    protected abstract void moveChunk(PrimitiveList primitives, int ranks, long chunkBytes);

    /** Doubles the share for an all-reduce: the ring reduces and then gathers. */
    @Override
    public double leastShare(CollectiveKind ofKind, int together, int members) {
        double once = super.leastShare(ofKind, together, members);
        return ofKind == CollectiveKind.ALL_REDUCE ? 2 * once : once;
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        RingOrder order = RingOrder.of(request, member, channel);
        int[] members = request.members();
        return new ChannelProgram(
                new int[] {members[order.previous()]},
                new int[] {members[order.next()]},
                new int[] {FROM_PREVIOUS},
                new int[] {order.nic()},
                primitives(request, channel));
    }

    private List<Primitive> primitives(CollectiveRequest request, int channel) {
        Chunks chunks = chunks(request, channel);
        return shared.get(request, chunks, 0, 0, primitives -> {
            for (int i = 0; i < chunks.count(); i++) {
                moveChunk(primitives, request.size(), chunks.bytes(i));
            }
        });
    }
}
