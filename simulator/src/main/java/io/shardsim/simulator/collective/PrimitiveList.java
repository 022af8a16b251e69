package io.shardsim.simulator.collective;

import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Writes primitives in order, run-length encoded: a primitive equal to the previous one only raises its repeat count. Each primitive costs one
 * transport step, whatever its bytes, so receive-and-forward takes half the steps of a receive and a send. A chunk is cut into the transport's number
 * of slices, each at least 1/32 of a slice of a full chunk, so small chunks travel whole (NCCL, src/device/prims_simple.h, genericOp).
 */
public final class PrimitiveList {
    private static final int LEAST_SLICE_DIVISOR = 32;

    /** Fifty thousand chunks: a terabyte in chunks of the library's own size has fewer, and every rank and channel may have such a list. */
    private static final int PRIMITIVES_MAX = 1 << 18;

    private static final int LOOKS_UP_EVERY = 1 << 12;

    private final Transport transport;
    private final long leastSliceBytes;
    private final List<Primitive> primitives = new ArrayList<>();
    private long added;

    /** Last primitive, while more of it may follow; none if its repeat count is 0. */
    private int repeat;

    private int receiveSlot;
    private int sendSlot;
    private long bytes;
    private boolean reduces;

    PrimitiveList(Transport transport) {
        this.transport = transport;
        leastSliceBytes = Math.max(1, transport.chunkBytes() / transport.slices() / LEAST_SLICE_DIVISOR);
    }

    /** Sends local data. */
    public void send(int sendSlot, long bytes) {
        add(1, ChannelProgram.NONE, sendSlot, bytes, false);
    }

    /** Receives final data. */
    public void receive(int receiveSlot, long bytes) {
        add(1, receiveSlot, ChannelProgram.NONE, bytes, false);
    }

    /** Receives data and adds it to local data. */
    public void receiveReduce(int receiveSlot, long bytes) {
        add(1, receiveSlot, ChannelProgram.NONE, bytes, true);
    }

    /** Receives data, keeps a copy and forwards it, a number of times. */
    public void receiveCopySend(int times, int receiveSlot, int sendSlot, long bytes) {
        add(times, receiveSlot, sendSlot, bytes, false);
    }

    /** Receives data, adds local data and forwards the sum, a number of times. */
    public void receiveReduceSend(int times, int receiveSlot, int sendSlot, long bytes) {
        add(times, receiveSlot, sendSlot, bytes, true);
    }

    List<Primitive> toList() {
        close();
        return List.copyOf(primitives);
    }

    void add(int times, int receiveSlot, int sendSlot, long bytes, boolean reduces) {
        if (times < 1) {
            return;
        }
        if (++added % LOOKS_UP_EVERY == 0 && Thread.currentThread().isInterrupted()) {
            throw new CancellationException("interrupted while planning");
        }
        if (repeat > 0
                && receiveSlot == this.receiveSlot
                && sendSlot == this.sendSlot
                && bytes == this.bytes
                && reduces == this.reduces) {
            repeat = Math.addExact(repeat, times);
            return;
        }
        close();
        repeat = times;
        this.receiveSlot = receiveSlot;
        this.sendSlot = sendSlot;
        this.bytes = bytes;
        this.reduces = reduces;
    }

    /**
     * Appends the last primitive.
     *
     * @throws TooLargeException if the program has more steps than a machine can hold
     */
    private void close() {
        if (repeat == 0) {
            return;
        }
        if (primitives.size() == PRIMITIVES_MAX) {
            throw new TooLargeException(
                    "a collective in chunks of " + transport.chunkBytes() + " bytes has more than " + PRIMITIVES_MAX
                            + " steps on a channel; write a smaller size or a larger collectives.chunk",
                    "collectives.chunk",
                    "workload.size");
        }
        int slices = (int) Math.max(1, Math.min(transport.slices(), bytes / leastSliceBytes));
        primitives.add(Primitive.of(repeat, receiveSlot, sendSlot, slices, bytes, reduces));
        repeat = 0;
    }
}
