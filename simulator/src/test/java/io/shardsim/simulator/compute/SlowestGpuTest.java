package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pace of the slowest of many GPUs. */
class SlowestGpuTest {
    private static final double SPREAD = 0.02;

    /** Calibrations come from nodes of eight. */
    @Test
    void theSlowestOfANodeIsWhatWasCalibrated() {
        assertThat(SlowestGpu.rate(8, SPREAD)).isEqualTo(1);
        assertThat(SlowestGpu.rate(512, 0)).isEqualTo(1);
    }

    /** Simulated by random draws instead of looked up. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 32, 96, 500})
    void itsRateIsThatOfTheSlowestOfAsManyDraws(int gpus) {
        Random random = new Random(1);
        int samples = 4000;
        double slower = 0;
        for (int i = 0; i < samples; i++) {
            slower += slowest(random, gpus) - slowest(random, 8);
        }
        assertThat(SlowestGpu.rate(gpus, SPREAD)).isCloseTo(1 + slower / samples, within(0.001));
    }

    /** Extrapolates beyond the largest power of two. */
    @Test
    void moreGpusAreNeverFaster() {
        for (int gpus = 1; gpus < 100_000; gpus += 1 + gpus / 3) {
            assertThat(SlowestGpu.rate(gpus + 1, SPREAD)).isLessThan(SlowestGpu.rate(gpus, SPREAD));
        }
    }

    private static double slowest(Random random, int gpus) {
        double least = 0;
        for (int i = 0; i < gpus; i++) {
            double drawn = SPREAD * random.nextGaussian();
            least = i == 0 ? drawn : Math.min(least, drawn);
        }
        return least;
    }
}
