package io.shardsim.reports.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.writing.ValidationJson;
import io.shardsim.reports.writing.ValidationTable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ErrorSummaryTest {
    private static CaseOutcome outcome(String id, String role, double measured, @Nullable Double simulated) {
        return new CaseOutcome(
                new CaseOutcome.Published(id, role, "high", "family", "a100-40gb"),
                Metric.SAMPLES_PER_SECOND,
                measured,
                simulated,
                true,
                null);
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

    /** A memory error says nothing about speed, so neither affects the other's mean. */
    @Test
    void memoryIsSummedUpApart() {
        CaseOutcome memory = new CaseOutcome(
                new CaseOutcome.Published("a", "validation", "high", "family", "a100-40gb"),
                Metric.PEAK_ALLOCATED_GIB,
                40,
                20.0,
                true,
                null);
        List<CaseOutcome> both = List.of(OUTCOMES.get(0), memory);
        assertThat(ValidationTable.write(both, List.of(), 120))
                .contains("GiB allocated")
                .containsPattern("training speed, validation +1 +10.0 %")
                .containsPattern("memory, validation +1 +50.0 %")
                .containsPattern("family, memory, validation +1 +50.0 %");
        assertThat(ValidationJson.write(both, List.of()))
                .contains("\"validation of memory\"")
                .contains("\"family of memory\"");
    }

    private static CaseOutcome figure(String role, Metric metric, double measured, double simulated) {
        return new CaseOutcome(
                new CaseOutcome.Published("a", role, "high", "family", "a100-40gb"),
                metric,
                measured,
                simulated,
                true,
                null);
    }

    /** A time that is too short and a rate that is too high are both too fast: they do not cancel. */
    @Test
    void biasHasOneSignForTimesAndRates() {
        List<CaseOutcome> fast = List.of(
                figure("validation", Metric.STEP_SECONDS, 10, 8),
                figure("validation", Metric.TOKENS_PER_SECOND_PER_GPU, 10, 12.5),
                figure("validation", Metric.COLLECTIVE_SECONDS, 10, 8));
        assertThat(fast)
                .extracting(CaseOutcome::error)
                .allSatisfy(error -> assertThat(Math.abs(error)).isBetween(0.199, 0.251));
        assertThat(fast)
                .extracting(CaseOutcome::bias)
                .allSatisfy(bias -> assertThat(bias).isCloseTo(0.25, within(1e-12)));
        assertThat(ErrorSummary.of(fast).bias()).isCloseTo(0.25, within(1e-12));
        assertThat(figure("validation", Metric.PEAK_RESERVED_GIB, 10, 12).bias())
                .isCloseTo(0.2, within(1e-12));
    }

    @Test
    void trainingCollectivesAndMemoryAreSummedUpApartByRole() {
        List<CaseOutcome> all = List.of(
                figure("validation", Metric.STEP_SECONDS, 10, 8),
                figure("calibration", Metric.STEP_SECONDS, 10, 10),
                figure("validation", Metric.COLLECTIVE_SECONDS, 10, 20),
                figure("validation", Metric.PEAK_ALLOCATED_GIB, 10, 11));
        String table = ValidationTable.write(all, List.of(), 120);
        assertThat(ValidationTable.write(all, List.of(), 80).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(table)
                .containsPattern("(?m)^figures +n +MAPE")
                .containsPattern("training speed, validation +1 +20.0 % +20.0 % +\\+25.0 %")
                .containsPattern("training speed, calibration +1 +0.0 %")
                .containsPattern("collectives, validation +1 +100.0 % +100.0 % +-50.0 %")
                .containsPattern("memory, validation +1 +10.0 %")
                .contains("positive: the simulator is too fast");
        JsonNode document = JsonMapper.shared().readTree(ValidationJson.write(all, List.of()));
        JsonNode kinds = document.get("kinds");
        assertThat(kinds.get("training speed").get("validation").get("bias").asDouble())
                .isEqualTo(0.25);
        assertThat(kinds.get("training speed").get("calibration").get("n").asInt())
                .isEqualTo(1);
        assertThat(kinds.get("collectives").get("validation").get("bias").asDouble())
                .isEqualTo(-0.5);
        assertThat(kinds.get("memory").get("validation").get("bias").asDouble()).isCloseTo(0.1, within(1e-9));
        assertThat(document.get("cases").get(2).get("error").asDouble()).isEqualTo(1);
        assertThat(document.get("cases").get(2).get("bias").asDouble()).isEqualTo(-0.5);
        assertThat(document.get("gpus").propertyNames())
                .containsExactly("a100-40gb", "a100-40gb of collectives", "a100-40gb of memory");
    }

    @Test
    void theTableFitsItsWidthAndMarksWhatTheLedgerRefuses() {
        CaseOutcome refused = new CaseOutcome(
                new CaseOutcome.Published(
                        "a-very-long-name-of-a-case-that-nobody-can-read-on-a-narrow-terminal",
                        "validation",
                        "high",
                        "family",
                        "a100-40gb"),
                Metric.COLLECTIVE_SECONDS,
                0.001,
                0.002,
                false,
                null);
        String table = ValidationTable.write(List.of(refused), List.of(), 80);
        assertThat(table).contains("+100.0 % *").contains("ran, but does not fit by the memory ledger: 1 figure");
        assertThat(table.lines().filter(line -> !line.startsWith("* ran")))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }
}
