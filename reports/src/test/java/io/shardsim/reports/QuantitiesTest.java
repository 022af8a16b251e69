package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({"0, 0.00", "1.005, 1.00", "9.996, 10.0", "52.64, 52.6", "99.96, 100", "1234.5, '1,235'", "-0.5, -0.50"})
    void threeSignificantDigits(double value, String text) {
        assertThat(Quantities.significant(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 s", "2e-9, 2.00 ns", "0.00031, 310 us", "0.0451, 45.1 ms", "29.28, 29.3 s", "3600, '3,600 s'"})
    void secondsChooseTheirUnit(double value, String text) {
        assertThat(Quantities.seconds(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0.05634, 0.0563", "0.2, 0.2", "1.005, 1.00", "223.4, 223"})
    void threeDigitsBelowOne(double value, String text) {
        assertThat(Quantities.threeDigits(value)).isEqualTo(text);
    }

    @Test
    void unitsAreDecimalForNetworksAndBinaryForMemory() {
        assertThat(Quantities.bytes(1e9)).isEqualTo("1.00 GB");
        assertThat(Quantities.gib(1L << 30)).isEqualTo("1.00 GiB");
        assertThat(Quantities.bytes(17)).isEqualTo("17 B");
    }

    @Test
    void missingFiguresAreADash() {
        assertThat(Quantities.usd(Double.NaN)).isEqualTo("\u2013");
        assertThat(Quantities.fixed(Double.POSITIVE_INFINITY, 2)).isEqualTo("\u2013");
    }

    @Test
    void thousandsAreGrouped() {
        assertThat(Quantities.fixed(-1234567.891, 2)).isEqualTo("-1,234,567.89");
        assertThat(Quantities.count(999)).isEqualTo("999");
    }

    @ParameterizedTest
    @CsvSource({
        "100e9, 100 billion, 100 B",
        "2e12, 2 trillion, 2 T",
        "1.5e12, 1.5 trillion, 1.5 T",
        "1234567890123, 1.23457 trillion, 1.23457 T",
        "300.5e9, 300.5 billion, 300.5 B",
        "5e15, 5000 trillion, 5000 T",
        "2.5e6, 2.5 million, 2.5 M",
        "400000, 400000, 400000"
    })
    void tokensOfATrainingHaveTheirOwnUnits(double tokens, String words, String brief) {
        assertThat(Quantities.tokens(tokens)).isEqualTo(words);
        assertThat(Quantities.shortTokens(tokens)).isEqualTo(brief);
    }
}
