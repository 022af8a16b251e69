package io.shardsim.simulator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.plan.CachingAllocator.Block;
import org.junit.jupiter.api.Test;

/** Sizes as in c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.0. */
class CachingAllocatorTest {
    private static final long MIB = 1 << 20;

    @Test
    void requestsOfEachSizeGetTheirSegments() {
        assertThat(missing(2 * MIB - 1, 1)).as("2 MiB for a small one").isEqualTo(1);
        assertThat(missing(20 * MIB - 1, 2 * MIB)).as("20 MiB below 10 MiB").isEqualTo(1);
        assertThat(missing(12 * MIB - 1, 10 * MIB + 1))
                .as("else the next 2 MiB")
                .isEqualTo(1);
    }

    private static long missing(long capacity, long request) {
        CachingAllocator allocator = new CachingAllocator(capacity);
        allocator.allocate(request);
        return allocator.missingBytes();
    }

    @Test
    void whatIsLeftOfASegmentServesTheNextRequest() {
        CachingAllocator allocator = new CachingAllocator(20 * MIB);
        for (int i = 0; i < 10; i++) {
            allocator.allocate(2 * MIB);
        }
        assertThat(allocator.missingBytes()).isZero();
        allocator.allocate(2 * MIB);
        assertThat(allocator.missingBytes()).isEqualTo(20 * MIB);
    }

    @Test
    void theSmallestFreeBlockThatHoldsARequestIsTaken() {
        CachingAllocator allocator = new CachingAllocator(60 * MIB);
        Block large = allocator.allocate(40 * MIB);
        Block fits = allocator.allocate(20 * MIB);
        allocator.free(large);
        allocator.free(fits);
        allocator.allocate(20 * MIB);
        allocator.allocate(40 * MIB);
        assertThat(allocator.missingBytes()).isZero();
    }

    @Test
    void neighboursAreJoinedInAnyOrder() {
        for (int[] order : new int[][] {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}}) {
            CachingAllocator allocator = new CachingAllocator(60 * MIB);
            allocator.free(allocator.allocate(60 * MIB));
            Block[] thirds = {allocator.allocate(20 * MIB), allocator.allocate(20 * MIB), allocator.allocate(20 * MIB)};
            for (int at : order) {
                allocator.free(thirds[at]);
            }
            // In one piece it could not be given back and asked for again unseen.
            Block first = allocator.allocate(20 * MIB);
            allocator.allocate(40 * MIB);
            allocator.free(first);
            assertThat(allocator.missingBytes()).isZero();
        }
    }

    @Test
    void wholeSegmentsGoBackBeforeMemoryIsMissing() {
        CachingAllocator allocator = new CachingAllocator(60 * MIB);
        Block one = allocator.allocate(30 * MIB);
        Block other = allocator.allocate(30 * MIB);
        allocator.free(one);
        allocator.free(other);
        allocator.allocate(50 * MIB);
        assertThat(allocator.missingBytes()).isZero();
    }

    /** A small block keeps a large segment from being returned: 38 MiB are free, but cannot be used. */
    @Test
    void aSegmentOfWhichAPartIsInUseIsLostForALargeRequest() {
        CachingAllocator allocator = new CachingAllocator(60 * MIB);
        allocator.free(allocator.allocate(40 * MIB));
        allocator.allocate(2 * MIB);
        allocator.allocate(20 * MIB);
        assertThat(allocator.missingBytes()).isZero();
        allocator.allocate(38 * MIB);
        assertThat(allocator.missingBytes()).isEqualTo(18 * MIB);
    }

    @Test
    void aBlockIsFreedOnce() {
        CachingAllocator allocator = new CachingAllocator(60 * MIB);
        Block block = allocator.allocate(MIB);
        allocator.free(block);
        assertThatThrownBy(() -> allocator.free(block)).hasMessageContaining("freed twice");
    }
}
