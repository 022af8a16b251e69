package io.shardsim.simulator.collective;

/**
 * Ring all-gather: each chunk takes n - 1 steps, in which every shard travels once around the ring. Every rank sends and receives
 * (n - 1) / n of the buffer; on idle links of rate B with a latency a per step, S bytes take (n - 1)(S / (nB) + a) [1].
 *
 * <p>[1] Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005, section 4.1;
 * steps as in NCCL, src/device/all_gather.h, runRing.
 */
public final class RingAllGather extends RingAlgorithm {
    public RingAllGather() {
        super(CollectiveKind.ALL_GATHER);
    }

    @Override
    protected void moveChunk(PrimitiveList primitives, int ranks, long chunkBytes) {
        primitives.send(TO_NEXT, chunkBytes);
        primitives.receiveCopySend(ranks - 2, FROM_PREVIOUS, TO_NEXT, chunkBytes);
        primitives.receive(FROM_PREVIOUS, chunkBytes);
    }
}
