package io.shardsim.simulator.collective.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.compute.calibration.ReferenceTables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the constants with the table that they were fitted to, which is outside the repository ({@code -Dshardsim.reference=DIR}). */
class NcclMeasurementsTest {
    @BeforeEach
    void tablesArePresent() {
        ReferenceTables.assumePresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ampere", "hopper"})
    void ringsInANodeTakeWhatTheyWereMeasuredToTake(String architecture) {
        NcclTransportModel model = new NcclTransportModel(NodeMeasurements.ALGORITHMS);
        List<Double> large = new ArrayList<>();
        List<Double> small = new ArrayList<>();
        for (NodeMeasurements.Row row : NodeMeasurements.of(architecture)) {
            double error = Math.abs(row.seconds(model) / row.seconds() - 1);
            (row.totalBytes() >= NodeMeasurements.MIB ? large : small).add(error);
        }

        assertThat(large).hasSizeGreaterThan(30);
        assertThat(small).hasSizeGreaterThan(30);
        assertThat(median(large)).as("from 1 MiB").isLessThan(0.06);
        assertThat(Collections.max(large)).as("from 1 MiB").isLessThan(0.25);
        assertThat(median(small)).as("below 1 MiB").isLessThan(0.10);
        assertThat(Collections.max(small)).as("below 1 MiB").isLessThan(0.30);
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }
}
