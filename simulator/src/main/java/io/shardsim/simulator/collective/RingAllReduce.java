package io.shardsim.simulator.collective;

/**
 * Ring all-reduce: a reduce-scatter whose last step already forwards the finished sum, followed by an all-gather. Every rank sends and receives 2 (n
 * - 1) / n of the buffer in 2 (n - 1) steps per chunk. Steps as in NCCL, src/device/all_reduce.h, runRing.
 */
public final class RingAllReduce extends RingAlgorithm {
    public RingAllReduce() {
        super(CollectiveKind.ALL_REDUCE);
    }

    @Override
    protected void moveChunk(PrimitiveList primitives, int ranks, long chunkBytes) {
        primitives.send(TO_NEXT, chunkBytes);
        primitives.receiveReduceSend(ranks - 1, FROM_PREVIOUS, TO_NEXT, chunkBytes);
        primitives.receiveCopySend(ranks - 2, FROM_PREVIOUS, TO_NEXT, chunkBytes);
        primitives.receive(FROM_PREVIOUS, chunkBytes);
    }
}
