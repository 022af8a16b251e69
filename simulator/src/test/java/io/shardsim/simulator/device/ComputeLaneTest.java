package io.shardsim.simulator.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ComputeLaneTest {
    private final ComputeLane lane = new ComputeLane(100);

    @Test
    void anUndisturbedKernelTakesItsTime() {
        lane.start(1_000, 500, 0, 0);
        assertThat(lane.endPs()).isEqualTo(1_500);
        assertThat(lane.end()).isTrue();
    }

    @Test
    void makesUpForTheMultiprocessorsThatCollectivesHeld() {
        lane.start(0, 1_000, 0, 0);
        lane.onMultiprocessorsHeld(200 * 10);
        lane.onMultiprocessorsHeld(300 * 10);

        assertThat(lane.end()).as("50 ps were lost").isFalse();
        assertThat(lane.endPs()).isEqualTo(1_050);
        lane.onMultiprocessorsHeld(100 * 10);
        assertThat(lane.end()).as("10 ps more while making up").isFalse();
        assertThat(lane.endPs()).isEqualTo(1_060);
        assertThat(lane.end()).isTrue();
    }

    @Test
    void makesUpInWholePartsOfItsTime() {
        lane.start(0, 1L << 20, 0, 0);
        lane.onMultiprocessorsHeld(100 * 3_071);
        assertThat(lane.end()).isFalse();
        assertThat(lane.endPs()).as("one part of 2,048, the nearest").isEqualTo((1L << 20) + 2_048);
        lane.onMultiprocessorsHeld(100);
        assertThat(lane.end()).as("3,072 in all are nearer to two").isFalse();
        assertThat(lane.endPs()).isEqualTo((1L << 20) + 4_096);
        assertThat(lane.end()).isTrue();
    }

    @Test
    void losesNothingWhileIdle() {
        lane.onMultiprocessorsHeld(1_000 * 50);
        lane.start(0, 100, 0, 0);
        assertThat(lane.end()).isTrue();
    }

    @Test
    void losesAsMuchOfTheMemorysTimeAsItWaitsForMemory() {
        lane.start(0, 1_000, 250, 0);
        lane.onMemoryBusy(400);

        assertThat(lane.end()).isFalse();
        assertThat(lane.endPs()).as("a quarter of 400 ps").isEqualTo(1_100);
    }

    @Test
    void losesAllTheTimeOfAKernelOnAnotherStream() {
        lane.start(0, 1_000, 0, 0);
        lane.onKernelBeside(400, 1_000);

        assertThat(lane.end()).isFalse();
        assertThat(lane.endPs()).as("even a matrix product").isEqualTo(1_400);
    }

    @Test
    void losesAsMuchOfTheCachesTimeAsItIsMatrixProducts() {
        lane.start(0, 1_000, 250, 750);
        lane.onCacheBusy(400);

        assertThat(lane.end()).isFalse();
        assertThat(lane.endPs()).as("three quarters of 400 ps").isEqualTo(1_300);
    }

    @Test
    void aMatrixProductLeavesTheMemoryToOthers() {
        lane.start(0, 1_000, 0, 0);
        lane.onMemoryBusy(400);
        assertThat(lane.end()).isTrue();
    }
}
