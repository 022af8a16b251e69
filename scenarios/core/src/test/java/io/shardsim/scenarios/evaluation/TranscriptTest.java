package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.reports.writing.TextStyle.Detail;
import io.shardsim.scenarios.explaining.PricedDifferences;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Recorded terminal output: some scenarios on narrow and wide terminals, in colour, without a terminal, and in full. Update with
 * {@code -Dgolden.update}, and review the difference.
 */
@Tag("slow")
@Tag("always")
class TranscriptTest {
    private static final Path GOLDEN = Path.of("core", "src", "test", "resources", "golden", "transcripts");
    private static final String ESCAPE = "\u001b";

    @ParameterizedTest
    @CsvSource({
        "library/gpt2-30b-on-p4d.yaml, 30, 38",
        "library/lesson-1-sharding.yaml, 20, 24",
        "library/all-reduce-1gib.yaml, 7, 8",
        "core/src/test/resources/golden/transcripts/sweep-of-36.yaml, 31, 36",
        "core/src/test/resources/golden/transcripts/one-point.yaml, 15, 17",
        "core/src/test/resources/golden/transcripts/nothing-fits.yaml, 12, 14"
    })
    void theTerminalShowsWhatIsWrittenDown(String file, int linesMaxAt100, int linesMaxAt80) throws Exception {
        ScenarioResult result = run(file);
        String name = result.scenario();
        for (Map.Entry<String, TextStyle> style : styles().entrySet()) {
            String text = SummaryTable.write(result, style.getValue());
            check(name + "." + style.getKey() + ".txt", text.replace(ESCAPE, "<ESC>"));
            assertThat(text.replaceAll(ESCAPE + "\\[[0-9;]*m", "").lines())
                    .as(name + " " + style.getKey())
                    .allMatch(line -> line.length() <= style.getValue().width());
        }
        assertThat(SummaryTable.write(result, TextStyle.plain(100)).lines().count())
                .isLessThanOrEqualTo(linesMaxAt100);
        assertThat(SummaryTable.write(result, TextStyle.plain(80)).lines().count())
                .isLessThanOrEqualTo(linesMaxAt80);
    }

    private static Map<String, TextStyle> styles() {
        Map<String, TextStyle> styles = new LinkedHashMap<>();
        for (int width : List.of(80, 100, 140)) {
            styles.put(String.valueOf(width), TextStyle.plain(width));
        }
        styles.put("colour", new TextStyle(100, true, Detail.BRIEF));
        styles.put("no-terminal", TextStyle.withoutTerminal());
        styles.put("full", new TextStyle(100, false, Detail.FULL));
        return styles;
    }

    private static ScenarioResult run(String file) throws Exception {
        Scenario scenario = ScenarioReader.read(file);
        PointRuns points = new PointRuns(List.of(scenario), 2);
        PricedDifferences prices = new PricedDifferences(PointSimulation::new, 2);
        AdvisedRuns runs = new AdvisedRuns(List.of(scenario), points);
        try (PointSimulation simulation = new PointSimulation(2, true)) {
            points.runAll(simulation, (done, what) -> {});
            List<RunResult> results = points.results(scenario);
            long eventsMax = Trials.eventsMax(results);
            long left = eventsMax - prices.price(scenario, results, eventsMax, (done, what) -> {});
            runs.tryOtherSettings(simulation, 2, same -> Math.max(Trials.eventsMin(results), left), (done, what) -> {});
        }
        assertThat(runs.failures()).isEmpty();
        return ScenarioResult.of(scenario.name(), prices.with(runs.results(scenario)));
    }

    private static void check(String name, String text) throws IOException {
        Path file = GOLDEN.resolve(name);
        if (System.getProperty("golden.update") != null) {
            Files.writeString(file, text);
        }
        assertThat(text).as(name).isEqualTo(Files.readString(file));
    }
}
