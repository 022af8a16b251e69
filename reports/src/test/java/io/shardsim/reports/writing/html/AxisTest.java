package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
    @ParameterizedTest
    @ValueSource(doubles = {1e-9, 0.3, 1, 3.9, 7.1, 99.9, 100, 157, 1e6, 4.2e12})
    void coversTheMaximumWithRoundSteps(double max) {
        for (int ticks = 3; ticks <= 6; ticks++) {
            Axis axis = Axis.upTo(max, ticks);
            assertThat(axis.max()).isGreaterThanOrEqualTo(max * 0.99999).isLessThanOrEqualTo(max * 2.5);
            assertThat(axis.ticks()).isBetween(1, ticks);
        }
    }
}
