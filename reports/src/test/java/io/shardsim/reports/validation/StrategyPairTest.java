package io.shardsim.reports.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.writing.ValidationTable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StrategyPairTest {
    private static CaseOutcome outcome(
            String strategy, String setting, Metric metric, double measured, @Nullable Double simulated) {
        return new CaseOutcome(
                new CaseOutcome.Published(strategy + "-" + setting, "validation", "high", "family", "a100-40gb"),
                metric,
                measured,
                simulated,
                true,
                new CaseOutcome.Contest(strategy, setting));
    }

    private static CaseOutcome rate(String strategy, String setting, double measured, @Nullable Double simulated) {
        return outcome(strategy, setting, Metric.SAMPLES_PER_SECOND, measured, simulated);
    }

    @Test
    void theMeasuredWinnerComesFirstAndItsSpeedUpsAreThoseOfTheFigures() {
        List<StrategyPair> pairs = StrategyPair.of(List.of(rate("zero3", "a", 50, 60.0), rate("mics", "a", 70, 75.0)));
        assertThat(pairs).singleElement().satisfies(pair -> {
            assertThat(pair.faster()).isEqualTo("mics-a");
            assertThat(pair.slower()).isEqualTo("zero3-a");
            assertThat(pair.measured()).isCloseTo(0.4, within(1e-12));
            assertThat(pair.simulated()).isCloseTo(0.25, within(1e-12));
            assertThat(pair.difference()).isCloseTo(-0.15, within(1e-12));
            assertThat(pair.ranked()).isTrue();
        });
    }

    @Test
    void aShorterTimeIsFaster() {
        List<StrategyPair> pairs = StrategyPair.of(List.of(
                outcome("zero3", "a", Metric.STEP_SECONDS, 3, 2.0), outcome("fsdp", "a", Metric.STEP_SECONDS, 2, 2.5)));
        assertThat(pairs).singleElement().satisfies(pair -> {
            assertThat(pair.faster()).isEqualTo("fsdp-a");
            assertThat(pair.measured()).isCloseTo(0.5, within(1e-12));
            assertThat(pair.ranked()).isFalse();
        });
    }

    @Test
    void onlyOtherStrategiesInTheSameSettingAreCompared() {
        assertThat(StrategyPair.of(List.of(
                        rate("zero3", "a", 50, 60.0),
                        rate("mics", "b", 70, 75.0),
                        rate("zero3", "a", 55, 60.0),
                        rate("fsdp", "a", 50, 51.0))))
                .singleElement()
                .satisfies(pair -> assertThat(pair.measured()).isCloseTo(0.1, within(1e-12)));
    }

    @Test
    void theTableTellsSpeedUpsInPointsAndWhatIsRankedWrong() {
        String table = ValidationTable.write(
                List.of(
                        rate("zero3", "a", 50, 60.0),
                        rate("mics", "a", 70, 75.0),
                        rate("zero3", "b", 50, 60.0),
                        rate("mics", "b", 70, 55.0),
                        rate("fsdp", "c", 70, null),
                        rate("ddp", "c", 60, 55.0)),
                List.of(),
                100);
        assertThat(table)
                .containsPattern("mics-a over zero3-a +\\+40.0 % +\\+25.0 % +-15.0\n")
                .containsPattern("mics-b over zero3-b +\\+40.0 % +-8.3 % +-48.3 {2}ranked wrong\n")
                .containsPattern("fsdp-c over ddp-c +\\+16.7 % +- +- {2}ranked wrong\n")
                .contains("the faster strategy is found in 1 of 3 pairs\n");
    }
}
