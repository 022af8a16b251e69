package io.shardsim.simulator.collective;

/**
 * A channel's share of a buffer, cut into chunks of the transport's size, the last one possibly smaller, as NCCL's device code does (ncclCollCbdPart
 * in src/include/device.h).
 *
 * @param partBytes the channel's share [bytes]
 * @param chunkBytes largest chunk [bytes]
 */
public record Chunks(long partBytes, long chunkBytes) {
    /** Unit in which a buffer is divided among channels [bytes]: NCCL's cell size (src/enqueue.cc, scheduleCollTasksToPlan). */
    private static final long CELL_BYTES = 16;

    /** Returns the number of channels that get a share of a buffer, at least 1. */
    public static int channels(long bytes, Transport transport) {
        long cells = ceilDiv(bytes, CELL_BYTES);
        return (int) Math.max(1, Math.min(transport.channels(), cells));
    }

    /** Returns the share of one channel; shares differ by at most one cell. */
    public static Chunks of(long bytes, int channels, int channel, Transport transport) {
        long cells = ceilDiv(bytes, CELL_BYTES);
        long begin = CELL_BYTES * firstCell(cells, channels, channel);
        long end = CELL_BYTES * firstCell(cells, channels, channel + 1);
        return new Chunks(Math.min(end, bytes) - Math.min(begin, bytes), transport.chunkBytes());
    }

    private static long firstCell(long cells, int channels, int channel) {
        return cells / channels * channel + Math.min(channel, cells % channels);
    }

    /** Returns the number of chunks; 0 for an empty share. */
    public int count() {
        return Math.toIntExact(ceilDiv(partBytes, chunkBytes));
    }

    /** Returns the size of chunk i [bytes]. */
    public long bytes(int i) {
        return Math.min(chunkBytes, partBytes - i * chunkBytes);
    }

    /** Returns the size of the largest chunk, at least 1 [bytes]. */
    public long bytesMax() {
        return Math.max(1, Math.min(chunkBytes, partBytes));
    }

    static long ceilDiv(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }
}
