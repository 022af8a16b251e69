package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LessonTest {
    @ParameterizedTest
    @CsvSource({
        "step_seconds, 0.49, 490 ms, 490 ms",
        "nic_bytes_sent, 35.6e9, 35.6 GB, 35.6 GB",
        "bus_bandwidth_bytes_per_second, 5.08e9, 5.08 GB/s, 5.08 GB/s",
        "peak_memory_bytes_per_gpu, 1073741824, 1.00 GiB, 1.00 GiB",
        "memory.peak_bytes_by_owner.activations, 536870912, 0.50 GiB, 0.50 GiB",
        "exposed_share, 0.106, 10.6 %, 10.6 %",
        "samples_per_second, 70.2, 70.2, 70.2 samples/s",
        "around_step.goodput.days, 40.27, 40.3, 40.3 days",
        "around_step.goodput.best_every, 1041, '1,041', '1,041 steps'"
    })
    void figureHasTheUnitOfItsKey(String figure, double value, String words, String quantity) {
        FigureUnit unit = FigureUnit.of(figure);
        assertThat(unit.words(value)).isEqualTo(words);
        assertThat(unit.quantity(value)).isEqualTo(quantity);
    }
}
