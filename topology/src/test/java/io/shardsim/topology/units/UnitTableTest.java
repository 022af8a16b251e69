package io.shardsim.topology.units;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitTableTest {

    @ParameterizedTest
    @CsvSource({
        "1 MiB, 1048576",
        "25MiB, 26214400",
        "1.5e3 KiB, 1536000",
        "  16   GiB , 17179869184",
        "39.59 GiB, 42509438812",
        "0 B, 0",
        "1 GB, 1000000000",
        "+2 kB, 2000",
        ".5 KiB, 512",
        "2. bytes, 2",
        "8191.9999 PiB, 9223371924264785124"
    })
    void sizesAreExactBytes(String text, long bytes) {
        assertThat(DataSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "300 GB/s, 300000000000",
        "100 Gbit/s, 12500000000",
        "100 Gbps, 12500000000",
        "3.2 Tbit/s, 400000000000",
        "1555 GB/s, 1555000000000",
        "12 bit/s, 2",
        "1 GiB/s, 1073741824"
    })
    void ratesAreExactBytesPerSecond(String text, long bytesPerSecond) {
        assertThat(Bandwidth.parse(text).bytesPerSecond()).isEqualTo(bytesPerSecond);
    }

    @ParameterizedTest
    @CsvSource({
        "2 us, 2000000",
        "1.5 ns, 1500",
        "3 \u00b5s, 3000000",
        "3 \u03bcs, 3000000",
        "1 h, 3600000000000000",
        "0 ps, 0"
    })
    void timesAreExactPicoseconds(String text, long timePs) {
        assertThat(Picoseconds.parse(text)).isEqualTo(timePs);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1048576 | size 1048576 has no unit; write for example 1 MiB",
                "1e3 | size 1e3 has no unit; write for example 1 MiB",
                "-1 MiB | size -1 MiB < 0 bytes; write for example 1 MiB",
                "1e30 GiB | size 1e30 GiB > 2^63 - 1 bytes; write for example 1 MiB",
                "8 EiB | size \"8 EiB\" has the unknown unit \"EiB\"; known units: B, bytes, byte, KiB, MiB, GiB, TiB, PiB, kB, KB, MB, GB, TB, PB",
                "1 mib | size \"1 mib\" has the unknown unit \"mib\"; did you mean MiB?",
                "1e99 B | size 1e99 B has an exponent beyond 40; write for example 1 MiB",
                "0.1 B | size 0.1 B < 1 bytes; write for example 1 MiB",
                "large | size \"large\" is not a number with a unit; write for example 1 MiB",
                "'' | size \"\" is not a number with a unit; write for example 1 MiB",
                "NaN GiB | size \"NaN GiB\" is not a number with a unit; write for example 1 MiB",
                "1 2 MiB | size \"1 2 MiB\" is not a number with a unit; write for example 1 MiB",
                "1_000 MiB | size \"1_000 MiB\" is not a number with a unit; write for example 1 MiB",
                "0x10 MiB | size \"0x10 MiB\" is not a number with a unit; write for example 1 MiB"
            })
    void sizesThatAreNoneSayWhatToWrite(String text, String message) {
        assertThatThrownBy(() -> DataSize.parse(text))
                .isInstanceOf(QuantityException.class)
                .hasMessage(message);
    }

    @Test
    void bitsAndBytesAreNeverGuessed() {
        assertThatThrownBy(() -> Bandwidth.parse("100 gb/s"))
                .hasMessage("rate \"100 gb/s\" has the unknown unit \"gb/s\"; did you mean GB/s or Gb/s?");
    }

    @Test
    void rateOfZeroIsRefused() {
        assertThatThrownBy(() -> Bandwidth.parse("0 GB/s"))
                .hasMessage("rate 0 GB/s < 1 byte/s; write for example 300 GB/s or 100 Gbit/s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"120 d", "1e20 s"})
    void timesThatDoNotFitInPicosecondsAreRefused(String text) {
        assertThatThrownBy(() -> Picoseconds.parse(text)).hasMessageContaining("> 2^63 - 1 ps");
    }

    @Test
    void whatIsPrintedExactlyIsReadBack() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            long value = random.nextLong() >>> (1 + random.nextInt(62));
            long rounded = value - value % (1L << random.nextInt(40));
            for (long each : new long[] {value, rounded}) {
                assertThat(DataSize.parse(new DataSize(each).toString()).bytes())
                        .isEqualTo(each);
                if (each > 0) {
                    assertThat(Bandwidth.parse(new Bandwidth(each).toString()).bytesPerSecond())
                            .isEqualTo(each);
                }
            }
        }
    }

    @Test
    void anyTextIsEitherReadOrRefusedWithAMessage() {
        SplittableRandom random = new SplittableRandom(2);
        String alphabet = "0123456789.eE+- GMKTiBbits/pun\u00b5_:%\n\t\u0000\u221e";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(random.nextInt(20) == 0 ? 200 : 12);
            for (int j = 0; j < length; j++) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            for (UnitTable table : List.of(UnitTable.DATA_SIZE, UnitTable.RATE, UnitTable.TIME)) {
                try {
                    assertThat(table.parseWhole(text.toString())).isNotNegative();
                } catch (QuantityException refused) {
                    assertThat(refused.getMessage())
                            .startsWith(table.kind())
                            .doesNotContain("\n")
                            .hasSizeLessThan(400);
                }
            }
        }
    }
}
