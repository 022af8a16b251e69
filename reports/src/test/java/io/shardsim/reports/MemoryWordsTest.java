package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MemoryWordsTest {
    private static final long CAPACITY = gib(39.6);

    @Test
    void tellsWhatIsNeededWithFragmentationAndTheCapacity() {
        assertThat(MemoryWords.needs(fit(22.1, 23.4)))
                .isEqualTo("needs 22.1 of 39.6 GiB per GPU, 23.4 GiB with fragmentation");
        assertThat(MemoryWords.needs(fit(22.1, 22.1))).isEqualTo("needs 22.1 of 39.6 GiB per GPU");
    }

    @Test
    void differentFiguresLookDifferent() {
        assertThat(MemoryWords.needs(fit(39.604, 39.95)))
                .isEqualTo("needs 39.604 of 39.600 GiB per GPU, 39.950 GiB with fragmentation");
    }

    @Test
    void hasThreeVerdicts() {
        assertThat(MemoryWords.verdict(fit(38, 39.6))).startsWith("fits (needs 38.0 of 39.6 GiB");
        assertThat(MemoryWords.verdict(fit(38, 39.8))).startsWith("fits tightly (needs 38.0 of 39.6 GiB");
        assertThat(MemoryWords.verdict(fit(39.7, 41))).startsWith("does not fit (needs 39.7 of 39.6 GiB");
        assertThat(MemoryWords.cell(fit(38, 39.8))).isEqualTo("39.8");
        assertThat(MemoryWords.cell(fit(38, 39.6))).isEqualTo("39.6");
    }

    @Test
    void warnsOfMemoryThatIsTightOrNearlyFull() {
        assertThat(MemoryWords.warning(fit(30, 36.8), true, null)).isNull();
        assertThat(warning(fit(36, 37.2), true))
                .startsWith("memory is 94 % full with fragmentation.")
                .endsWith(" Lower micro_batch.");
        assertThat(warning(fit(38, 39.8), false))
                .startsWith("memory is tight: the run needs 38.0 of 39.6 GiB per GPU, 39.8 GiB with fragmentation.")
                .doesNotContain("Lower");
        assertThat(MemoryWords.warning(fit(39.7, 41), true, null))
                .as("does not run")
                .isNull();
    }

    /** Undecided if the GPU's memory is within the range that similar runs need. */
    @Test
    void tellsBothBoundsWhereTheyDoNotDecide() {
        ErrorInterval range = new ErrorInterval(0.8, -0.05, 0.1, List.of());
        String bounds = " 80 % of similar runs need 37.3 to 43.2 GiB per GPU; it has 39.6.";
        assertThat(Objects.requireNonNull(MemoryWords.warning(fit(39.7, 41), true, range))
                        .text())
                .isEqualTo("memory is nearly full: the run may or may not fit." + bounds);
        assertThat(Objects.requireNonNull(MemoryWords.warning(fit(37, 38), true, range))
                        .text())
                .startsWith("memory is 96 % full")
                .endsWith(" 80 % of similar runs need 34.5 to 40.0 GiB per GPU; it has 39.6. Lower micro_batch.");
        assertThat(Objects.requireNonNull(MemoryWords.warning(fit(38, 41), false, range))
                        .text())
                .startsWith("memory is tight")
                .endsWith("memory." + bounds);
        assertThat(MemoryWords.warning(fit(44, 45), true, range))
                .as("certainly too large")
                .isNull();
        assertThat(MemoryWords.warning(fit(30, 36), true, range))
                .as("certainly fits")
                .isNull();
    }

    private static String warning(MemoryFit fit, boolean mayLower) {
        return Objects.requireNonNull(MemoryWords.warning(fit, mayLower, null)).text();
    }

    private static MemoryFit fit(double needed, double reserved) {
        return new MemoryFit(gib(needed), gib(reserved), CAPACITY);
    }

    private static long gib(double gib) {
        return Math.round(gib * Quantities.GIB);
    }
}
