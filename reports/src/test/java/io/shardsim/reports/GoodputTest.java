package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares goodput with closed forms and with random failures. */
class GoodputTest {
    private static Goodput.Saving saving(double pause, double mtbf, double recovery) {
        return new Goodput.Saving(1, 1000, steps -> pause, mtbf, recovery);
    }

    private static Goodput of(Goodput.Saving saving, TrainingCost cost) {
        return Goodput.of(saving, new Goodput.Choice(saving, saving), cost);
    }

    /**
     * Blocking checkpoints of 64 s, and asynchronous ones that pause for 1 s and are at risk for 64 s more: each point is Daly's expectation, and
     * each curve peaks at Young's interval.
     */
    @Test
    void theCurveHasDalysSharesForBothKindsOfCheckpoints() {
        double mtbf = 50_000;
        Goodput.Choice choice = new Goodput.Choice(saving(64, mtbf, 900), saving(1, mtbf, 964));
        Goodput goodput = Goodput.of(choice.blocking(), choice, new TrainingCost(1e9, 10, 1000));
        assertThat(goodput.curve()).hasSize(9);
        for (Goodput.Point point : goodput.curve()) {
            double work = point.everySteps();
            assertThat(point.blockingShare())
                    .isCloseTo(
                            work / (mtbf * StrictMath.exp(900 / mtbf) * StrictMath.expm1((work + 64) / mtbf)),
                            within(1e-12));
            assertThat(point.asynchronousShare())
                    .isCloseTo(
                            work / (mtbf * StrictMath.exp(964 / mtbf) * StrictMath.expm1((work + 1) / mtbf)),
                            within(1e-12));
        }
        Goodput.Point best = goodput.curve().get(4);
        assertThat(best.everySteps()).isEqualTo(goodput.bestEverySteps());
        assertThat(best.blockingShare()).isEqualTo(goodput.bestShare());
        // Young's interval is proportional to the root of the pause, so with a pause 64 times as short it is three
        // points to the left.
        assertThat(goodput.curve())
                .extracting(Goodput.Point::blockingShare)
                .allMatch(share -> share <= best.blockingShare());
        double most = goodput.curve().get(1).asynchronousShare();
        assertThat(goodput.curve()).extracting(Goodput.Point::asynchronousShare).allMatch(share -> share <= most);
        assertThat(most).isGreaterThan(best.blockingShare());
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

    /** Daly, FGCS 22 (2006), equation 37, also if a pause is a large part of the time between failures. */
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

    /** The expectation equals the mean of trainings with random failures. */
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
        Goodput goodput = of(saving(60, 50_000, 1200), new TrainingCost(1e9, 10, 1000));
        assertThat(goodput.cost().days() * goodput.share()).isCloseTo(10, within(1e-9));
        assertThat(goodput.bestCost().usd() * goodput.bestShare()).isCloseTo(1000, within(1e-9));
        assertThat(goodput.bestShare()).isGreaterThanOrEqualTo(goodput.share());
        assertThat(goodput.sentence())
                .startsWith("Failures: one every 13.9 h leaves ")
                .contains("is optimal: ");
    }

    @Test
    void failuresThatNeverLetAStretchEndLeaveNothing() {
        Goodput goodput = of(saving(60, 1, 1200), new TrainingCost(1e9, 10, 1000));
        assertThat(goodput.share()).isZero();
    }
}
