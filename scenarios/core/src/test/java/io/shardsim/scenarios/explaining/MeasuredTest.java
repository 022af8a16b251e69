package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Figures of logs are read in their units. */
class MeasuredTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1000 tokens/s/GPU | 1000 | TOKENS_PER_GPU",
                "7.5k tokens/s/gpu | 7500 | TOKENS_PER_GPU",
                "1,234,567 tokens/s | 1234567 | TOKENS",
                "40 samples/s | 40 | SAMPLES",
                "12.5 s | 12.5 | SECONDS",
                "20 gb/s busbw | 20 | BUS_BANDWIDTH",
                "140 TFLOPS/GPU | 140 | TFLOPS_PER_GPU",
                "35% MFU | 35 | MFU",
                "26.47 GiB reserved | 26.47 | RESERVED",
                "40 gib allocated | 40 | ALLOCATED",
                "0.125 x healthy | 0.125 | OF_HEALTHY",
                "healthy | 1 | OF_HEALTHY",
                "2.5 s/it | 2.5 | SECONDS",
                "4 it/s | 0.25 | SECONDS",
                "1,500 ms | 1.5 | SECONDS",
                "42.0k tok/s | 42000 | TOKENS",
                "1.2M tokens / s | 1200000 | TOKENS",
                "5 samples/sec | 5 | SAMPLES",
                "150.3 TFLOP/s/GPU | 150.3 | TFLOPS_PER_GPU",
                "150.3 TFLOPs | 150.3 | TFLOPS_PER_GPU"
            })
    void speedsAreRead(String written, double value, Measured.Unit unit) {
        assertThat(Measured.parse(written)).isEqualTo(new Measured(value, unit, Map.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nan samples/s",
                "1000",
                "fast",
                "-3 samples/s",
                "0 samples/s",
                "7 bananas",
                "1e400 s",
                "7 samples/s at nodes"
            })
    void othersAreRefused(String written) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Measured.parse(written))
                .withMessageContaining("is not a speed; write for example '1000 tokens/s/GPU'");
    }

    @Test
    void aDecimalCommaIsNoSeparatorOfThousands() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Measured.parse("12,5 samples/s"))
                .withMessage("'12,5 samples/s' has a comma, which separates thousands; write 12.5 samples/s");
    }

    @Test
    void moreThanThePeakIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Measured.parse("200 % MFU"))
                .withMessage("'200 % MFU' is above the GPUs' peak; write a share of the peak, for example '35 % MFU'");
        assertThat(Measured.parse("100 % MFU").value()).isEqualTo(100);
    }

    @Test
    void aRunThatDiffersIsNamed() {
        Measured one = Measured.parse("9k tokens/s/GPU at cluster.nodes=1, training.micro_batch=2");
        assertThat(one.value()).isEqualTo(9000);
        assertThat(one.at()).containsExactly(Map.entry("cluster.nodes", "1"), Map.entry("training.micro_batch", "2"));
        assertThat(one.place()).isEqualTo("cluster.nodes=1, training.micro_batch=2");
    }

    @Test
    void figuresAreShownInTheirUnit() {
        assertThat(Measured.parse("7.5k tokens/s/GPU").words(1020.4)).isEqualTo("1,020 tokens/s/GPU");
    }
}
