package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Documents state the published figures by kind and role, with their current numbers. With {@code -Ddocs.write} these are written instead. */
class ValidationCountsTest {
    private static CaseOutcome outcome(String role, Metric metric, double measured, double simulated) {
        return new CaseOutcome(
                new CaseOutcome.Published("id", role, "high", "family", "a100-40gb"),
                metric,
                measured,
                simulated,
                true,
                null);
    }

    private static final List<CaseOutcome> OUTCOMES = List.of(
            outcome("validation", Metric.STEP_SECONDS, 10, 8),
            outcome("validation", Metric.SAMPLES_PER_SECOND, 10, 12.5),
            outcome("calibration", Metric.SAMPLES_PER_SECOND, 10, 10),
            outcome("calibration", Metric.COLLECTIVE_SECONDS, 10, 20),
            outcome("validation", Metric.PEAK_ALLOCATED_GIB, 10, 11));

    @Test
    void kindsAndRolesAreCountedApart() {
        assertThat(ValidationCounts.sentence(OUTCOMES))
                .isEqualTo("3 training speeds (2 validation, 1 calibration), 1 collective times (1 calibration)"
                        + " and 1 peak-memory figures (1 validation)");
        assertThat(ValidationCounts.sentence(OUTCOMES.subList(0, 2))).isEqualTo("2 training speeds (2 validation)");
    }

    @Test
    void theHeadlineIsThatOfValidation() {
        assertThat(ValidationCounts.headline(OUTCOMES))
                .isEqualTo("training speed is 22.5 % off on average and peak memory 10.0 %");
    }

    @Test
    void aShorterTimeAndALargerRateAreBothTooFast() {
        assertThat(ValidationCounts.table(OUTCOMES))
                .contains(
                        "| training speeds | validation | 2 | 22.5 % | 22.5 % | +25.0 % | 25.0 % |",
                        "| collective times | calibration | 1 | 100.0 % | 100.0 % | -50.0 % | 100.0 % |",
                        "| peak-memory figures | validation | 1 | 10.0 % | 10.0 % | +10.0 % | 10.0 % |");
    }

    @Test
    @Tag("slow")
    void documentsSayWhatIsRecorded() throws IOException {
        List<CaseOutcome> recorded = RecordedErrors.builtIn().outcomes(PublishedCases.all());
        FirstErrors first = FirstErrors.read(Files.readString(Path.of("..").resolve(ValidationRecord.FIRST)));
        for (Path document : ValidationRecord.COUNTING) {
            Path file = Path.of("..").resolve(document);
            String text = Files.readString(file);
            String expected = ValidationCounts.update(text, recorded, first);
            assertThat(text).as("marks of %s", document).contains("<!-- figures -->", "<!-- end -->");
            if (System.getProperty("docs.write") != null) {
                Files.writeString(file, expected);
            } else {
                assertThat(text)
                        .as("%s; run this test with -Ddocs.write to count anew", document)
                        .isEqualTo(expected);
            }
        }
        assertThat(Files.readString(Path.of("..", "docs", "validation.md"))).contains("<!-- errors -->\n| figures");
    }

    /** Figures of several kinds are not summed. */
    @Test
    void noDocumentAddsThemUp() throws IOException {
        List<Path> documents;
        try (var files = Files.list(Path.of("..", "docs"))) {
            documents = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(documents).hasSizeGreaterThan(5);
        for (Path document : documents) {
            assertThat(Files.readString(document))
                    .as("%s", document)
                    .doesNotContainPattern("(?i)(thousand|hundreds? of|[0-9,]{4,}) (published )?(figures|cases)");
        }
        assertThat(Files.readString(Path.of("..", "README.md")))
                .doesNotContainPattern("(?i)(thousand|hundreds? of|[0-9,]{4,}) (published )?(figures|cases)");
    }
}
