package io.shardsim.simulator.compute.calibration;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.nccl.CalibrateNccl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Repeats the calibration from the tables: a fit must not be better than the shipped values by more than the search's own scatter. Prints the
 * coefficients. {@code -Dnight} searches longer, and also on the largest table.
 */
@Tag("once")
class RecalibrationTest {
    /** Scatter between searches with different starting points [1]. */
    private static final double SCATTER = 0.03;

    private static final int EVALUATIONS = Integer.getInteger("fit.evaluations", 250);

    @BeforeEach
    void tablesArePresent() {
        ReferenceTables.assumePresent();
    }

    @Test
    @Tag("slow")
    void productsOnA100AreFittedAsShipped() {
        assertShipped(CalibrateMatmul.run("ampere", EVALUATIONS, 1));
    }

    @Test
    void productsOnV100AreFittedAsShipped() {
        assertShipped(CalibrateMatmul.run("volta", EVALUATIONS, 1));
    }

    @Test
    @Tag("night")
    void productsOnH100AreFittedAsShipped() {
        assertShipped(CalibrateMatmul.run("hopper", EVALUATIONS, 5));
    }

    @Test
    @Tag("slow")
    void wholeStepsAreFittedAsShipped() {
        assertShipped(CalibrateTraining.run(EVALUATIONS * 3 / 8));
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"ampere", "hopper"})
    void ringsInANodeAreFittedAsShipped(String architecture) {
        assertShipped(CalibrateNccl.run(architecture, EVALUATIONS / 10));
    }

    private static void assertShipped(double[] errors) {
        assertThat(errors[0])
                .as(
                        "error of the shipped coefficients, against %.4f of a new fit; put the printed ones there",
                        errors[1])
                .isLessThan(errors[1] * (1 + SCATTER));
    }
}
