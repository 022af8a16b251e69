package io.shardsim.simulator.collective;

import java.util.Arrays;
import java.util.List;

/**
 * Program of one rank on one channel of a collective: primitives in strict order, as one thread block of NCCL runs them (NCCL,
 * src/device/primitives.h).
 *
 * <p>Each edge to a peer has a slot. A send names the slot under which the peer receives, so that a slice finds its edge without a search; slices of
 * one edge arrive in order.
 *
 * @param receivePeers global rank behind each receive slot
 * @param sendPeers global rank behind each send slot
 * @param sendPeerSlots for each send slot, the receive slot of the peer's program on the same channel
 * @param sendNics for each send slot, the NIC that sends if the peer is on another node
 * @param primitives primitives in order
 */
public record ChannelProgram(
        int[] receivePeers, int[] sendPeers, int[] sendPeerSlots, int[] sendNics, List<Primitive> primitives) {

    /** Value for no edge. */
    public static final int NONE = -1;

    /**
     * Run of equal primitives. Each one handles {@code slices} slices: waits for a slice on the receive slot (if any), processes it, and sends it on
     * the send slot (if any).
     *
     * @param repeat number of executions, at least 1
     * @param receiveSlot slot to receive from, or {@link #NONE}
     * @param sendSlot slot to send on, or {@link #NONE}
     * @param slices slices per execution, at least 1
     * @param sliceBytes bytes of each slice but the last
     * @param lastSliceBytes bytes of the last slice
     * @param reduces whether received data is added to local data, which is slower than a copy
     */
    public record Primitive(
            int repeat,
            int receiveSlot,
            int sendSlot,
            int slices,
            long sliceBytes,
            long lastSliceBytes,
            boolean reduces) {
        public Primitive {
            if (repeat < 1 || slices < 1 || sliceBytes < 0 || lastSliceBytes < 0) {
                throw new IllegalArgumentException("primitive with repeat " + repeat + ", slices " + slices
                        + ", slice bytes " + sliceBytes + ", last slice bytes " + lastSliceBytes);
            }
        }

        /** Returns a primitive over {@code bytes}, cut into at most {@code slices} equal slices. */
        public static Primitive of(int repeat, int receiveSlot, int sendSlot, int slices, long bytes, boolean reduces) {
            long sliceBytes = (bytes + slices - 1) / slices;
            long count = sliceBytes == 0 ? 1 : (bytes + sliceBytes - 1) / sliceBytes;
            return new Primitive(
                    repeat, receiveSlot, sendSlot, (int) count, sliceBytes, bytes - (count - 1) * sliceBytes, reduces);
        }

        /** Returns the bytes that all executions send; 0 without a send slot. */
        public long sentBytes() {
            return sendSlot == NONE ? 0 : totalBytes();
        }

        /** Returns the bytes that all executions receive; 0 without a receive slot. */
        public long receivedBytes() {
            return receiveSlot == NONE ? 0 : totalBytes();
        }

        private long totalBytes() {
            return repeat * ((slices - 1) * sliceBytes + lastSliceBytes);
        }
    }

    public ChannelProgram {
        primitives = List.copyOf(primitives);
        if (sendPeers.length != sendPeerSlots.length || sendPeers.length != sendNics.length) {
            throw new IllegalArgumentException("send peers, peer slots and NICs differ in number: " + sendPeers.length
                    + ", " + sendPeerSlots.length + ", " + sendNics.length);
        }
    }

    public long sentBytes() {
        return primitives.stream().mapToLong(Primitive::sentBytes).sum();
    }

    public long receivedBytes() {
        return primitives.stream().mapToLong(Primitive::receivedBytes).sum();
    }

    /** Returns the bytes of the smallest slice sent on a slot. */
    public long leastSliceBytes(int sendSlot) {
        return primitives.stream()
                .filter(primitive -> primitive.sendSlot() == sendSlot)
                .mapToLong(primitive -> Math.min(primitive.sliceBytes(), primitive.lastSliceBytes()))
                .min()
                .orElse(0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChannelProgram that
                && Arrays.equals(receivePeers, that.receivePeers)
                && Arrays.equals(sendPeers, that.sendPeers)
                && Arrays.equals(sendPeerSlots, that.sendPeerSlots)
                && Arrays.equals(sendNics, that.sendNics)
                && primitives.equals(that.primitives);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(sendPeers) + primitives.hashCode();
    }

    @Override
    public String toString() {
        return "ChannelProgram[from " + Arrays.toString(receivePeers) + " to " + Arrays.toString(sendPeers) + ": "
                + primitives + "]";
    }
}
