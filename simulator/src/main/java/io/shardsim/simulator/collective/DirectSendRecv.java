package io.shardsim.simulator.collective;

/** Every rank sends its buffer to the next rank while it receives the buffer of the previous one. */
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
