package io.shardsim.simulator.collective;

/**
 * A channel's part of a buffer, cut into chunks: all of the transport's size but the last, as the loops of NCCL's device code cut it
 * (ncclCollCbdPart in src/include/device.h).
 *
 * @param partBytes the channel's part [bytes]
 * @param chunkBytes largest chunk [bytes]
 */
public record Chunks(long partBytes, long chunkBytes) {
    /** Channels share a buffer in multiples of this [bytes]; NCCL's cell size (src/enqueue.cc, scheduleCollTasksToPlan). */
    private static final long CELL_BYTES = 16;

    /** Number of channels that get something of a buffer, at least 1. */
    public static int channels(long bytes, Transport transport) {
        long cells = ceilDiv(bytes, CELL_BYTES);
        return (int) Math.max(1, Math.min(transport.channels(), cells));
    }

    /** What one of several channels gets of a buffer; parts differ by one cell at most. */
    public static Chunks of(long bytes, int channels, int channel, Transport transport) {
        long cells = ceilDiv(bytes, CELL_BYTES);
        long begin = CELL_BYTES * firstCell(cells, channels, channel);
        long end = CELL_BYTES * firstCell(cells, channels, channel + 1);
        return new Chunks(Math.min(end, bytes) - Math.min(begin, bytes), transport.chunkBytes());
    }

    private static long firstCell(long cells, int channels, int channel) {
        return cells / channels * channel + Math.min(channel, cells % channels);
    }

    /** Number of chunks, 0 for an empty part. */
    public int count() {
        return Math.toIntExact(ceilDiv(partBytes, chunkBytes));
    }

    /** Size of chunk i [bytes]. */
    public long bytes(int i) {
        return Math.min(chunkBytes, partBytes - i * chunkBytes);
    }

    /** Size of the largest chunk, at least 1 [bytes]. */
    public long bytesMax() {
        return Math.max(1, Math.min(chunkBytes, partBytes));
    }

    static long ceilDiv(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }
}
