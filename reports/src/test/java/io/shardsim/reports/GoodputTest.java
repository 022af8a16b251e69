package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goodput against closed forms and against failures that are drawn. */
class GoodputTest {
    private static Goodput.Saving saving(double pause, double mtbf, double recovery) {
        return new Goodput.Saving(1, 1000, steps -> pause, mtbf, recovery);
    }

    @Test
    void withoutFailuresOnlyPausesCount() {
        assertThat(saving(10, 1e12, 600).share(1000)).isCloseTo(1000 / 1010.0, within(1e-6));
    }

    /** Young, A first order approximation to the optimum checkpoint interval, CACM 17 (1974): the square root of 2 d M. */
    @ParameterizedTest
    @CsvSource({"10, 100000", "60, 600000", "1, 20000", "300, 1000000"})
    void theBestIntervalIsYoungsWherePausesAreShort(double pause, double mtbf) {
        assertThat(saving(pause, mtbf, 900).best() / StrictMath.sqrt(2 * pause * mtbf))
                .isCloseTo(1, within(0.05));
    }

    /** Daly, FGCS 22 (2006), equation 37, also where a pause is no small part of the time between failures. */
    @ParameterizedTest
    @CsvSource({"10, 100000", "600, 20000", "2000, 20000", "5000, 20000"})
    void theBestIntervalIsDalys(double pause, double mtbf) {
        double ratio = pause / (2 * mtbf);
        double daly = StrictMath.sqrt(2 * pause * mtbf) * (1 + StrictMath.sqrt(ratio) / 3 + ratio / 9) - pause;
        assertThat(saving(pause, mtbf, 900).best() / daly).isCloseTo(1, within(0.05));
    }

    @Test
    void noIntervalIsBetterThanTheBest() {
        Goodput.Saving saving = saving(60, 50_000, 1200);
        double best = saving.share(saving.best());
        for (long steps = 1; steps < 200_000; steps += 97) {
            assertThat(saving.share(steps)).isLessThanOrEqualTo(best);
        }
    }

    /** The expectation is that of a training whose failures are drawn one by one. */
    @Test
    void drawnFailuresLeaveTheSameShare() {
        Goodput.Saving saving = saving(60, 5_000, 400);
        Random random = new Random(1);
        double clock = 0;
        double work = 0;
        double failure = drawn(random, saving);
        while (work < 3e7) {
            double end = clock + 1000 + 60;
            if (end <= failure) {
                clock = end;
                work += 1000;
                continue;
            }
            clock = failure;
            failure = clock + drawn(random, saving);
            while (failure < clock + 400) {
                clock = failure;
                failure = clock + drawn(random, saving);
            }
            clock += 400;
        }
        assertThat(saving.share(1000)).isCloseTo(work / clock, within(0.005));
    }

    private static double drawn(Random random, Goodput.Saving saving) {
        return -saving.clusterMtbfSeconds() * StrictMath.log(1 - random.nextDouble());
    }

    @Test
    void daysAndDollarsAreThoseOfTheShare() {
        Goodput goodput = Goodput.of(saving(60, 50_000, 1200), new TrainingCost(1e9, 10, 1000));
        assertThat(goodput.cost().days() * goodput.share()).isCloseTo(10, within(1e-9));
        assertThat(goodput.bestCost().usd() * goodput.bestShare()).isCloseTo(1000, within(1e-9));
        assertThat(goodput.bestShare()).isGreaterThanOrEqualTo(goodput.share());
        assertThat(goodput.sentence())
                .startsWith("Failures: one every 13.9 h leaves ")
                .contains("is best: ");
    }

    @Test
    void failuresThatNeverLetAStretchEndLeaveNothing() {
        Goodput goodput = Goodput.of(saving(60, 1, 1200), new TrainingCost(1e9, 10, 1000));
        assertThat(goodput.share()).isZero();
    }
}
