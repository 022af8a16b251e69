package io.shardsim.simulator.collective;

import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Writes down primitives in order, in run-length form: a primitive equal to the one before it only raises its repeat count.
 *
 * <p>Each primitive costs a step of the transport, whatever its bytes. Where a member receives and sends on, one primitive for both takes half the steps of two.
 *
 * <p>A chunk is cut into the transport's number of slices, but no slice is smaller than 1/32 of a slice of a full chunk, so small chunks
 * travel whole (NCCL, src/device/prims_simple.h, genericOp).
 */
public final class PrimitiveList {
    private static final int LEAST_SLICE_DIVISOR = 32;

    /** Fifty thousand chunks: a terabyte in chunks of the library's own size has fewer, and every rank and channel may have a list like this. */
    private static final int PRIMITIVES_MAX = 1 << 18;

    private static final int LOOKS_UP_EVERY = 1 << 12;

    private final Transport transport;
    private final long leastSliceBytes;
    private final List<Primitive> primitives = new ArrayList<>();
    private long added;

    /** The last primitive, as long as more like it may follow; there is none while it repeats 0 times. */
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

    /** Receives data, keeps a copy and sends it on, so many times. */
    public void receiveCopySend(int times, int receiveSlot, int sendSlot, long bytes) {
        add(times, receiveSlot, sendSlot, bytes, false);
    }

    /** Receives data, adds local data and sends the sum on, so many times. */
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
     * Writes the last primitive down.
     *
     * @throws TooLargeException when the program has more steps than a machine can hold
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
