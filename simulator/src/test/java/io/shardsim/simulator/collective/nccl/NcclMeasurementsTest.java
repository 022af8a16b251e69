package io.shardsim.simulator.collective.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.shardsim.simulator.compute.calibration.ReferenceTables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The constants against the table that they were fitted to, which lies outside the repository ({@code -Dshardsim.reference=DIR}). */
class NcclMeasurementsTest {
    /** Searches that start elsewhere end within this of each other [1]. */
    private static final double SCATTER = 0.03;

    @BeforeEach
    void tablesArePresent() {
        assumeTrue(ReferenceTables.folder().isPresent(), "skipped: no reference tables at ../shared/reference");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ampere", "hopper"})
    void ringsInANodeTakeWhatTheyWereMeasuredToTake(String architecture) {
        NcclTransportModel model = new NcclTransportModel(RingMeasurements.RINGS);
        List<Double> large = new ArrayList<>();
        List<Double> small = new ArrayList<>();
        for (RingMeasurements.Row row : RingMeasurements.of(architecture)) {
            double error = Math.abs(row.seconds(model) / row.seconds() - 1);
            (row.totalBytes() >= RingMeasurements.MIB ? large : small).add(error);
        }

        assertThat(large).hasSizeGreaterThan(30);
        assertThat(small).hasSizeGreaterThan(30);
        assertThat(median(large)).as("from 1 MiB").isLessThan(0.06);
        assertThat(Collections.max(large)).as("from 1 MiB").isLessThan(0.25);
        assertThat(median(small)).as("below 1 MiB").isLessThan(0.10);
        assertThat(Collections.max(small)).as("below 1 MiB").isLessThan(0.30);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ampere", "hopper"})
    void constantsAreFittedAsShipped(String architecture) {
        double[] errors = CalibrateNccl.run(architecture, 4000);
        assertThat(errors[0])
                .as("error of the shipped constants, against %.4f of a new fit; put the printed ones there", errors[1])
                .isLessThan(errors[1] * (1 + SCATTER));
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }
}
