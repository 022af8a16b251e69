package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Drawn clocks have the requested mean and spread, and are reproducible. */
class ClocksTest {
    @Test
    void speedsHaveMeanOneAndTheSpread() {
        double[] speeds = Arrays.stream(new Clocks(0.02, 5).durations(200_000))
                .map(d -> 1 / d)
                .toArray();
        double mean = Arrays.stream(speeds).average().orElseThrow();
        double variance = Arrays.stream(speeds)
                .map(speed -> (speed - mean) * (speed - mean))
                .average()
                .orElseThrow();
        assertThat(mean).isCloseTo(1, within(2e-4));
        assertThat(StrictMath.sqrt(variance)).isCloseTo(0.02, within(4e-4));
        assertThat(Arrays.stream(speeds))
                .allMatch(speed -> speed >= 1 - 3 * 0.02 - 1e-12 && speed <= 1 + 3 * 0.02 + 1e-12);
    }

    @Test
    void aRankKeepsItsClockInALargerCluster() {
        Clocks clocks = new Clocks(0.05, 1);
        assertThat(Arrays.copyOf(clocks.durations(64), 8)).isEqualTo(clocks.durations(8));
        assertThat(clocks.durations(8)).isNotEqualTo(new Clocks(0.05, 2).durations(8));
    }
}
