package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.ErrorInterval;
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
        Golden.check("sweep.txt", SummaryTable.write(SampleRuns.sweep("golden"), 120));
    }

    @Test
    void collectiveEqualsItsGoldenTable() {
        Golden.check("collective.txt", SummaryTable.write(SampleRuns.collective("all-reduce-1gib"), 100));
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 100, 200})
    void noLineIsWiderThanTheTerminal(int width) {
        String table = SummaryTable.write(SampleRuns.sweep("s"), width);
        assertThat(table.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
        assertThat(table).contains("strategy", "GPUs", "samples/s", "ZeRO-3");
    }

    @Test
    void widerTerminalsShowMore() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        assertThat(SummaryTable.write(sweep, 140))
                .contains("micro x acc.", "TFLOPS", "MFU")
                .doesNotContain("no room");
        assertThat(SummaryTable.write(sweep, 100))
                .contains("scaling", "exposed")
                .doesNotContain("TFLOPS  ");
    }

    /** What a choice hangs on is there at 80 columns, and what had to go is named. */
    @Test
    void eightyColumnsKeepThroughputMemoryDaysAndDollars() {
        for (ScenarioResult sweep : List.of(SampleRuns.sweep("s"), SampleRuns.instances("i"))) {
            List<String> lines = SummaryTable.write(sweep, 80).lines().toList();
            assertThat(lines.get(2)).contains("step", "samples/s", "memory", "days", "USD");
            assertThat(String.join(" ", lines).replaceAll(" +", " "))
                    .containsPattern("no room at 80 columns for TFLOPS/GPU, MFU, [a-z, ]+; see results.csv");
        }
    }

    @Test
    void rowsOfASweepOverInstancesNameInstanceAndStrategy() {
        String table = SummaryTable.write(SampleRuns.instances("i"), 80);
        assertThat(table)
                .startsWith("gpt2-30b, 30.0 B parameters; sequence 2048; global batch 1,536; 32 GPUs\n")
                .containsPattern("(?m)^strategy +instance +step")
                .containsPattern("(?m)^DeepSpeed ZeRO-3 +p4de.24xlarge +\\d")
                .containsPattern("(?m)^MiCS \\(shard group 16\\) +p5.48xlarge +\\d");
    }

    /** Too many keys for a line: each run is named on a line of its own, in full, and its figures are below. */
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
        String table = SummaryTable.write(SampleRuns.points("s", points), 60);
        assertThat(table.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
        assertThat(table.replaceAll("\\s+", " "))
                .contains("another_setting_with_a_long_name value 1 of the second", "samples/s", "USD");
    }

    @Test
    void saysWhyAndWhatNext() {
        assertThat(SummaryTable.write(SampleRuns.sweep("s"), 200))
                .contains(
                        "At 256 GPUs MiCS (shard group 128) is 1.67x as fast as ZeRO-3. It saves 11.8 s per step, all by less waiting for parameter gathers.")
                .contains("ZeRO-3, 256 GPUs: Compute waits 11.7 s of 29.3 s (40 %) for parameter gathers")
                .doesNotContain("Next:")
                .contains("out of memory: FSDP, 16 GPUs: Needs 44.2 of 39.4 GiB per GPU: 4.81 GiB too much")
                .contains("note, MiCS, 16 GPUs: strategy.shard_group 128 is above the world size; capped to 16");
    }

    @Test
    void marksWhatFitsTightlyAndWarns() {
        assertThat(SummaryTable.write(SampleRuns.tight("s"), 120))
                .contains("  tight 43.3  ", "warning: memory is tight: the run needs 39.3 of 39.4 GiB per GPU");
    }

    @Test
    void saysOnceForEachSeriesHowFarOffItsLikeWere() {
        ErrorInterval accuracy = ErrorInterval.of(List.of(new ErrorInterval.Near("a", "validation", 0.05)));
        List<RunResult> runs = new ArrayList<>();
        for (RunResult run : SampleRuns.sweep("s").runs()) {
            runs.add(run.with(run.facts().withAccuracy(accuracy, List.of(), List.of()), run.training()));
        }
        String table = SummaryTable.write(new ScenarioResult("s", runs), 200);
        assertThat(table.lines().filter(line -> line.contains("published runs")))
                .hasSize(3)
                .allMatch(line -> line.startsWith("  Accuracy: "));
    }

    @Test
    void namesCannotSteerTheTerminal() {
        String table = SummaryTable.write(
                ScenarioResult.of("x", List.of(SampleRuns.named("\u001b[31mred\u0007\u202e\nnew line"))), 200);
        assertThat(table).doesNotContain("\u001b", "\u0007", "\u202e").contains("?[31mred???new line");
    }
}
