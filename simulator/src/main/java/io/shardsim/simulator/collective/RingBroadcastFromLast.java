package io.shardsim.simulator.collective;

/** Broadcast of the last rank's buffer along the ring; between two ranks, a transfer from the second back to the first. */
public final class RingBroadcastFromLast extends RingChain {
    public RingBroadcastFromLast() {
        super(CollectiveKind.BROADCAST_FROM_LAST);
    }

    @Override
    int root(CollectiveRequest request) {
        return request.size() - 1;
    }
}
