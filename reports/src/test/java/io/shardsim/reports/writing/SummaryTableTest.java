package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.ModelFlopsUtilization;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SummaryTableTest {
    @Test
    void sweepEqualsItsGoldenTable() {
        Golden.check("sweep.txt", SummaryTable.write(SampleRuns.sweep("golden"), TextStyle.plain(120)));
    }

    @Test
    void collectiveEqualsItsGoldenTable() {
        Golden.check(
                "collective.txt", SummaryTable.write(SampleRuns.collective("all-reduce-1gib"), TextStyle.plain(100)));
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 100, 200})
    void noLineIsWiderThanTheTerminal(int width) {
        String table = SummaryTable.write(SampleRuns.sweep("s"), TextStyle.plain(width));
        assertThat(table.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
        assertThat(table).contains("strategy", "GPUs", "samples/s", "ZeRO-3");
    }

    @Test
    void widerTerminalsShowMore() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        assertThat(SummaryTable.write(sweep, TextStyle.plain(140)))
                .contains("batch", "TFLOPS/GPU", "MFU %")
                .doesNotContain("not shown");
        assertThat(SummaryTable.write(sweep, TextStyle.plain(100)))
                .contains("scaling %", "exposed %")
                .doesNotContain("MFU %");
    }

    /** The columns that a choice depends on are present at 80 columns, and dropped columns are named. */
    @Test
    void eightyColumnsKeepThroughputMemoryDaysAndDollars() {
        for (ScenarioResult sweep : List.of(SampleRuns.sweep("s"), SampleRuns.instances("i"))) {
            List<String> lines =
                    SummaryTable.write(sweep, TextStyle.plain(80)).lines().toList();
            assertThat(lines.get(1)).contains("step s", "samples/s", "GiB/GPU", "days", "USD");
            assertThat(String.join(" ", lines).replaceAll(" +", " "))
                    .containsPattern("not shown: TFLOPS/GPU, MFU, [a-z, ]+");
        }
    }

    @Test
    void rowsOfASweepOverInstancesNameInstanceAndStrategy() {
        String table = SummaryTable.write(SampleRuns.instances("i"), TextStyle.plain(80));
        assertThat(table)
                .startsWith("gpt2-30b 30.0 B, sequence 2048, batch 1536, 32 GPUs, micro-batch 3\n")
                .containsPattern("(?m)^  strategy +shard_ +instance +step")
                .containsPattern("(?m)^  zero3 +- +p4de.24xlarge +\\d")
                .containsPattern("(?m)^. mics +16 +p5.48xlarge +\\d");
    }

    /** With too many keys for a line, each run is named in full on its own line, with its figures below. */
    @Test
    void keysThatFitNoLineStandAboveTheFigures() {
        List<Map<String, ?>> points = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Map<String, Object> training = new LinkedHashMap<>();
            training.put("a_setting_with_a_long_name", "value " + i % 2 + " of the first");
            training.put("another_setting_with_a_long_name", "value " + i / 2 + " of the second");
            training.put("a_third_setting_with_a_long_name", "value " + i + " of the third");
            points.add(Map.of("training", training));
        }
        String table = SummaryTable.write(SampleRuns.points("s", points), TextStyle.plain(60));
        assertThat(table.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
        assertThat(table.replaceAll("\\s+", " "))
                .contains("another setting with a long name value 1 of the second", "samples/s", "USD");
    }

    @Test
    void saysWhyTheFastestIsAheadAndCountsTheRest() {
        assertThat(SummaryTable.write(SampleRuns.sweep("s"), TextStyle.plain(200)))
                .contains("* MiCS (shard group 128)   256    17.6")
                .contains(
                        "At 256 GPUs MiCS is 1.67x as fast as ZeRO-3: 11.8 s less per step (11.7 s less waiting for parameter gathers, 0.1 s less waiting for gradient reductions).\n")
                .contains("Fastest: Compute takes 97 % of the step and hides the communication.")
                .contains("Accuracy: 80 % of similar runs are -2.0 % to +4.0 % off")
                .contains("out-of-memory: 1 of 15 runs, by 4.81 GiB or more.")
                .contains("warning memory-edge, 2 runs: memory is within 5 % of the capacity")
                .contains("1 note: -v shows it; shardsim help CODE explains a warning")
                .doesNotContain("Next:", "capped to 16");
    }

    /** In each row, TFLOPS per GPU equal MFU times the peak. */
    @Test
    void figuresOfARowMultiply() {
        for (RunResult run : SampleRuns.sweep("s").runs()) {
            if (run.training() != null) {
                ModelFlopsUtilization flops = run.training().flops();
                String shown = cell(run, "TFLOPS/GPU");
                assertThat(Double.parseDouble(shown))
                        .as(run.label())
                        .isCloseTo(
                                flops.mfu() * run.facts().model().peak().flopsPerSecond() / 1e12,
                                withinPercentage(0.5));
                assertThat(Double.parseDouble(cell(run, "MFU %"))).isCloseTo(100 * flops.mfu(), within(0.051));
            }
        }
    }

    /** Returns the cell of a run in one of the table's columns. */
    private static String cell(RunResult run, String column) {
        List<String> lines = SummaryTable.write(ScenarioResult.of("s", List.of(run)), TextStyle.plain(200))
                .lines()
                .toList();
        int head = 0;
        while (!lines.get(head).contains(column)) {
            head++;
        }
        int end = lines.get(head).indexOf(column) + column.length();
        String upToEnd = lines.get(head + 1).substring(0, end).strip();
        return upToEnd.substring(upToEnd.lastIndexOf(' ') + 1);
    }

    @Test
    void inFullItSaysEverythingOnce() {
        String text = SummaryTable.write(SampleRuns.sweep("s"), new TextStyle(200, false, TextStyle.Detail.FULL));
        assertThat(text)
                .contains(
                        "At 256 GPUs MiCS (shard group 128) is 1.67x as fast as ZeRO-3. It saves 11.8 s per step: 11.7 s less waiting for parameter gathers, 0.1 s less waiting for gradient reductions.")
                .contains("ZeRO-3, 256 GPUs: Compute waits 11.7 s of 29.3 s (40 %) for parameter gathers")
                .contains("out-of-memory, FSDP, 16 GPUs: Does not fit: 44.2 of 39.4 GiB per GPU, 4.81 GiB too much")
                .contains("above the world size; capped to 16, 32 or 64");
        assertThat(text.lines().filter(line -> line.startsWith("Accuracy: "))).hasSize(1);
    }

    @Test
    void aTightRunSaysSoInTheFirstColumnAndWarnsBeforeItAdvises() {
        for (TextStyle style : List.of(TextStyle.plain(120), new TextStyle(120, false, TextStyle.Detail.FULL))) {
            String text = SummaryTable.write(SampleRuns.tight("s"), style);
            assertThat(text)
                    .containsPattern("(?m)^tight +17\\.6 ")
                    .contains("tight: fits only without fragmentation")
                    .containsPattern("(?s)warning memory-tight: .*(Compute takes|Compute waits)")
                    .containsOnlyOnce("warning memory-tight");
        }
    }

    @Test
    void colourMarksTheFastestRowAndNothingElseChanges() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        String coloured = SummaryTable.write(sweep, new TextStyle(100, true, TextStyle.Detail.BRIEF));
        assertThat(coloured).contains("\u001b[1;32m* MiCS (shard group 128)");
        assertThat(coloured.replaceAll("\u001b\\[[0-9;]*m", ""))
                .isEqualTo(SummaryTable.write(sweep, TextStyle.plain(100)));
    }

    @Test
    void daysAndDollarsAreForTheTokensThatWereAskedFor() {
        RunResult quoted = SampleRuns.single("s").runs().get(0);
        RunResult asked = quoted.withTokens(300e9);
        assertThat(asked.cost().days()).isCloseTo(0.6 * quoted.cost().days(), within(1e-9));
        assertThat(SummaryTable.write(ScenarioResult.of("s", List.of(asked)), TextStyle.plain(100)))
                .contains("days and USD: 300 B tokens on demand");
    }

    /** 48 points: the best ten, the Pareto front of days and dollars, the keys that matter, and where the other points are. */
    @Test
    void aLargeSweepShowsTheBestAndWhatMatters() {
        String text = SummaryTable.write(SampleRuns.manyPoints("s"), TextStyle.plain(120));
        assertThat(text.lines().count()).isLessThan(32);
        assertThat(text.replaceAll("\\s+", " "))
                .contains("the best 10 of 48 points; results.csv has all")
                .contains("days vs. USD, no run is both faster and cheaper than these:")
                .contains("What matters (best over worst value, all else equal): kind");
    }

    /** Headers wider than their values are replaced by letters before a column is dropped. */
    @Test
    void longKeysBecomeLetters() {
        List<Map<String, ?>> points = new ArrayList<>();
        for (boolean on : List.of(true, false)) {
            Map<String, Object> point = new LinkedHashMap<>();
            for (String key : List.of("first", "second", "third", "fourth", "fifth")) {
                point.put("strategy." + key + "_switch_of_the_strategy", on);
            }
            points.add(point);
        }
        assertThat(SummaryTable.write(SampleRuns.points("s", points), TextStyle.plain(80)))
                .contains("a first_switch_of_the_strategy, b second_switch_of_the_strategy")
                .containsPattern("(?m)^  a    b    c    d    e    step s  samples/s .* USD$")
                .containsPattern("(?m)^. no   no   no   no   no ");
    }

    @Test
    void namesCannotSteerTheTerminal() {
        String table = SummaryTable.write(
                ScenarioResult.of("x", List.of(SampleRuns.named("\u001b[31mred\u0007\u202e\nnew line"))),
                TextStyle.plain(200));
        assertThat(table).doesNotContain("\u001b", "\u0007", "\u202e").contains("?[31mred???new line");
    }
}
