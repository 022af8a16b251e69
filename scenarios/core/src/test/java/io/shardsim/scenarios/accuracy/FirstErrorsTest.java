package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first error of a figure is kept, whatever comes later. */
class FirstErrorsTest {
    private static final String FILE = "id,metric,added,simulated\nold,samples_per_second,2026-11-21,12\n";

    private static CaseOutcome outcome(String id, double simulated) {
        return new CaseOutcome(
                new CaseOutcome.Published(id, "validation", "high", "family", "a100-40gb"),
                Metric.SAMPLES_PER_SECOND,
                10,
                simulated,
                true,
                null);
    }

    @Test
    void anEntryIsMadeOnceAndNeverChanged() {
        FirstErrors first = FirstErrors.read(FILE);
        first.enter(List.of(outcome("old", 10), outcome("new", 13)), LocalDate.parse("2026-12-01"));
        first.enter(List.of(outcome("new", 10)), LocalDate.parse("2026-12-02"));
        assertThat(first.write()).isEqualTo(FILE + "new,samples_per_second,2026-12-01,13\n");
        assertThat(FirstErrors.read(first.write()).write()).isEqualTo(first.write());
    }

    @Test
    void firstErrorsStandBesideThoseOfToday() {
        FirstErrors first = FirstErrors.read(FILE);
        List<CaseOutcome> today = List.of(outcome("old", 10.5), outcome("new", 13));
        first.enter(today, LocalDate.parse("2026-12-01"));
        assertThat(ValidationCounts.firstTable(today, first))
                .endsWith("| training speeds | 2 | 25.0 % | 17.5 % | 1 | 30.0 % |\n");
        assertThat(Deviations.gaps(List.of(outcome("old", 8)), first))
                .containsExactly(new Deviations.Gap("old", "samples_per_second", "8", "10", "-20.0 %", "+20.0 %"));
    }

    @Test
    void everyPublishedFigureHasOne() throws IOException {
        FirstErrors first = FirstErrors.read(Files.readString(Path.of("..").resolve(ValidationRecord.FIRST)));
        assertThat(RecordedErrors.builtIn().outcomes(PublishedCases.all()))
                .hasSizeGreaterThan(1000)
                .allSatisfy(outcome ->
                        assertThat(first.of(outcome)).as(outcome.id()).isNotNull());
    }
}
