package io.shardsim.simulator.plan;

import java.util.Comparator;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * PyTorch's caching allocator for one stream [1].
 *
 * <ul>
 *   <li>A request takes the smallest free block that fits. The rest of the block stays free if it is large enough to split.
 *   <li>If there is none, the driver allocates a segment: 2 MiB for a small request, 20 MiB for one below 10 MiB, else the request, rounded up to 2
 *       MiB.
 *   <li>Free neighbours in a segment are merged. If the driver is out of memory, fully free segments are returned to it.
 * </ul>
 *
 * <p>So a segment with a small part in use cannot serve a large request: the memory is fragmented.
 *
 * <p>Beyond the capacity it continues, and counts the missing bytes. Leaves out streams, expandable segments, and max_split_size, which is off by
 * default.
 *
 * <p>[1] c10/cuda/CUDACachingAllocator.cpp, PyTorch 2.0 (2023-03): kMinBlockSize, kSmallSize, kSmallBuffer, kLargeBuffer, kMinLargeAlloc,
 * kRoundLarge; get_free_block, should_split, alloc_block, release_cached_blocks.
 */
public final class CachingAllocator {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    /** Granularity of requests. */
    private static final long UNIT = 512;
    /** Maximum small request; larger ones never share segments with small ones. */
    private static final long SMALL_MAX = MIB;

    private static final long SMALL_SEGMENT = 2 * MIB;
    private static final long LARGE_SEGMENT = 20 * MIB;
    /** Minimum request that gets its own segment. */
    private static final long OWN_SEGMENT_FROM = 10 * MIB;

    private static final Comparator<Block> BEST_FIT =
            Comparator.<Block>comparingLong(block -> block.bytes).thenComparingLong(block -> block.address);

    /** Block of a segment. */
    public static final class Block {
        private final boolean small;
        private long bytes;
        private long address;
        private @Nullable Block before;
        private @Nullable Block after;
        private boolean free;

        private Block(boolean small, long bytes, long address) {
            this.small = small;
            this.bytes = bytes;
            this.address = address;
        }
    }

    private final long capacityBytes;
    private final NavigableSet<Block> freeSmall = new TreeSet<>(BEST_FIT);
    private final NavigableSet<Block> freeLarge = new TreeSet<>(BEST_FIT);
    private long nextAddress;
    private long reservedBytes;
    private long missingBytes;

    /** @param capacityBytes bytes of the driver */
    public CachingAllocator(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /** Returns the most bytes missing at a request, after all free segments are returned; 0 if none were. */
    public long missingBytes() {
        return missingBytes;
    }

    /** Allocates a block. */
    public Block allocate(long bytes) {
        long rounded = roundUp(Math.max(1, bytes), UNIT);
        boolean small = rounded <= SMALL_MAX;
        Block block = pool(small).ceiling(new Block(small, rounded, -1));
        if (block == null) {
            block = segment(small, rounded);
        } else {
            pool(small).remove(block);
        }
        block.free = false;
        long rest = block.bytes - rounded;
        if (small ? rest >= UNIT : rest > SMALL_MAX) {
            Block remainder = new Block(small, rest, block.address + rounded);
            remainder.free = true;
            link(remainder, block.after);
            link(block, remainder);
            block.bytes = rounded;
            pool(small).add(remainder);
        }
        return block;
    }

    /** Frees a block, and merges it with free neighbours. */
    public void free(Block block) {
        if (block.free) {
            throw new IllegalStateException("a block of " + block.bytes + " bytes is freed twice");
        }
        block.free = true;
        Block before = block.before;
        if (before != null && before.free) {
            pool(block.small).remove(before);
            block.address = before.address;
            block.bytes += before.bytes;
            link(before.before, block);
        }
        Block after = block.after;
        if (after != null && after.free) {
            pool(block.small).remove(after);
            block.bytes += after.bytes;
            link(block, after.after);
        }
        pool(block.small).add(block);
    }

    private Block segment(boolean small, long rounded) {
        long bytes = small ? SMALL_SEGMENT : rounded < OWN_SEGMENT_FROM ? LARGE_SEGMENT : roundUp(rounded, 2 * MIB);
        if (reservedBytes + bytes > capacityBytes) {
            giveBack(freeSmall);
            giveBack(freeLarge);
        }
        reservedBytes += bytes;
        missingBytes = Math.max(missingBytes, reservedBytes - capacityBytes);
        Block segment = new Block(small, bytes, nextAddress);
        nextAddress += bytes;
        return segment;
    }

    private void giveBack(NavigableSet<Block> pool) {
        pool.removeIf(block -> {
            boolean whole = block.before == null && block.after == null;
            reservedBytes -= whole ? block.bytes : 0;
            return whole;
        });
    }

    private NavigableSet<Block> pool(boolean small) {
        return small ? freeSmall : freeLarge;
    }

    private static void link(@Nullable Block before, @Nullable Block after) {
        if (before != null) {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        }
    }

    private static long roundUp(long bytes, long unit) {
        return (bytes + unit - 1) / unit * unit;
    }
}
