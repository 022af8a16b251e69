package io.shardsim.simulator.collective;

/**
 * Ring reduce-scatter: the ring all-gather with additions. A rank first sends the chunk of the previous rank's shard. Every rank on the way adds its
 * own, and after n - 1 steps the sum reaches the shard's owner. Every rank sends and receives (n - 1) / n of the buffer. Steps as in NCCL,
 * src/device/reduce_scatter.h, runRing.
 */
public final class RingReduceScatter extends RingAlgorithm {
    public RingReduceScatter() {
        super(CollectiveKind.REDUCE_SCATTER);
    }

    @Override
    protected void moveChunk(PrimitiveList primitives, int ranks, long chunkBytes) {
        primitives.send(TO_NEXT, chunkBytes);
        primitives.receiveReduceSend(ranks - 2, FROM_PREVIOUS, TO_NEXT, chunkBytes);
        primitives.receiveReduce(FROM_PREVIOUS, chunkBytes);
    }
}
