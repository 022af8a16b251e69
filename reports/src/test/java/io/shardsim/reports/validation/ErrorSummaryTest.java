package io.shardsim.reports.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.writing.ValidationJson;
import io.shardsim.reports.writing.ValidationTable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ErrorSummaryTest {
    private static CaseOutcome outcome(String id, String role, double measured, @Nullable Double simulated) {
        return new CaseOutcome(
                id, role, "high", "family", "a100-40gb", Metric.SAMPLES_PER_SECOND, measured, simulated, true, null);
    }

    private static final List<CaseOutcome> OUTCOMES = List.of(
            outcome("a", "validation", 10, 11.0),
            outcome("b", "validation", 10, 7.0),
            outcome("c", "validation", 10, 10.2),
            outcome("d", "calibration", 10, null));

    @Test
    void sizesOfErrorsAreAveragedWhateverTheirSign() {
        ErrorSummary summary = ErrorSummary.of(OUTCOMES.subList(0, 3));
        assertThat(summary.count()).isEqualTo(3);
        assertThat(summary.mape()).isCloseTo((0.1 + 0.3 + 0.02) / 3, within(1e-12));
        assertThat(summary.median()).isCloseTo(0.1, within(1e-12));
        assertThat(summary.bias()).isCloseTo((0.1 - 0.3 + 0.02) / 3, within(1e-12));
        assertThat(summary.worst()).isCloseTo(0.3, within(1e-12));
        assertThat(summary.worstCase()).isEqualTo("b");
    }

    @Test
    void aCaseWithoutFigureIsCountedApart() {
        Map<String, ErrorSummary> byRole = ErrorSummary.by(CaseOutcome::role, OUTCOMES);
        assertThat(byRole.keySet()).containsExactly("validation", "calibration");
        assertThat(byRole.get("calibration").count()).isZero();
        assertThat(byRole.get("calibration").mape()).isNull();
        assertThat(byRole.get("calibration").withoutFigure()).isEqualTo(1);
    }

    /** An error of memory says nothing of speed, so neither waters the other's mean. */
    @Test
    void memoryIsSummedUpApart() {
        CaseOutcome memory = new CaseOutcome(
                "a", "validation", "high", "family", "a100-40gb", Metric.PEAK_ALLOCATED_GIB, 40, 20.0, true, null);
        List<CaseOutcome> both = List.of(OUTCOMES.get(0), memory);
        assertThat(ValidationTable.write(both, 120))
                .contains("GiB allocated")
                .containsPattern("validation +1 +10.0 %")
                .containsPattern("validation of memory +1 +50.0 %")
                .containsPattern("family, validation of memory +1 +50.0 %");
        assertThat(ValidationJson.write(both))
                .contains("\"validation of memory\"")
                .contains("\"family of memory\"");
    }

    @Test
    void theTableFitsItsWidthAndMarksWhatTheLedgerRefuses() {
        CaseOutcome refused = new CaseOutcome(
                "a-very-long-name-of-a-case-that-nobody-can-read-on-a-narrow-terminal",
                "validation",
                "high",
                "family",
                "a100-40gb",
                Metric.COLLECTIVE_SECONDS,
                0.001,
                0.002,
                false,
                null);
        String table = ValidationTable.write(List.of(refused), 80);
        assertThat(table).contains("+100.0 % *").contains("the memory ledger finds it too large: 1 figure");
        assertThat(table.lines().limit(3))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }
}
