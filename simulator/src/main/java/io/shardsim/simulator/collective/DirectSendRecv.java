package io.shardsim.simulator.collective;

/** Every rank sends its buffer to the rank after it, and receives that of the rank before it, at the same time. */
public final class DirectSendRecv extends DirectExchange {
    public DirectSendRecv() {
        super(CollectiveKind.SEND_RECV);
    }

    @Override
    int rounds(CollectiveRequest request) {
        return 1;
    }

    @Override
    long bytes(CollectiveRequest request) {
        return request.totalBytes();
    }
}
