package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultsJsonTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    @Test
    void sweepEqualsItsGoldenDocument() {
        Golden.check("sweep.json", ResultsJson.write(SampleRuns.sweep("golden")));
    }

    @Test
    void collectiveEqualsItsGoldenDocument() {
        Golden.check("collective.json", ResultsJson.write(SampleRuns.collective("all-reduce-1gib")));
    }

    @Test
    void theDocumentOfAnInterruptedRunSaysThatItIsPartial() {
        List<RunResult> runs = SampleRuns.sweep("s").runs();
        JsonNode summary = MAPPER.readTree(ResultsJson.write(ScenarioResult.of("s", runs.subList(0, 3), runs.size())))
                .get("summaries")
                .get(0);
        assertThat(summary.get("complete").asBoolean()).isFalse();
        assertThat(summary.get("points").asInt()).isEqualTo(runs.size());
    }

    @Test
    void everyTrainingRunHasTheContractsKeys() {
        for (JsonNode run :
                MAPPER.readTree(ResultsJson.write(SampleRuns.sweep("s"))).get("runs")) {
            assertThat(run.propertyNames())
                    .contains(
                            "scenario",
                            "point",
                            "strategy",
                            "nodes",
                            "gpus",
                            "status",
                            "step_seconds",
                            "samples_per_second",
                            "tokens_per_second_per_gpu",
                            "tflops_per_gpu",
                            "model_tflops_per_gpu",
                            "mfu",
                            "hfu",
                            "exposed_communication_seconds",
                            "peak_memory_bytes_per_gpu",
                            "micro_batch",
                            "accumulation_steps",
                            "scaling_efficiency",
                            "events",
                            "simulated_events",
                            "wall_seconds",
                            "digest");
        }
    }

    @Test
    void collectiveHasItsFiguresInsteadOfTheTrainingFigures() {
        JsonNode run = MAPPER.readTree(ResultsJson.write(SampleRuns.collective("c")))
                .get("runs")
                .get(0);
        assertThat(run.propertyNames())
                .contains(
                        "collective_seconds", "algorithm_bandwidth_bytes_per_second", "bus_bandwidth_bytes_per_second")
                .doesNotContain("step_seconds", "mfu", "samples_per_second");
    }

    @Test
    void bytesAreTheSameApartFromWallTime() {
        ScenarioResult once = SampleRuns.sweep("s");
        List<RunResult> slower = once.runs().stream()
                .map(run -> new RunResult(
                        run.facts(),
                        run.training(),
                        run.collective(),
                        run.network(),
                        run.rank0(),
                        run.remedy(),
                        new RunResult.Effort(
                                run.effort().executedEvents(),
                                run.effort().simulatedEvents(),
                                run.effort().pendingEventsMax(),
                                run.effort().wallSeconds() + 1),
                        run.digest()))
                .toList();
        String a = ResultsJson.write(once);
        String b = ResultsJson.write(ScenarioResult.of("s", slower));
        assertThat(a).isNotEqualTo(b);
        assertThat(withoutWallTime(a)).isEqualTo(withoutWallTime(b));
    }

    @Test
    void singleRunHasNoScalingEfficiency() {
        JsonNode run = MAPPER.readTree(ResultsJson.write(SampleRuns.single("s")))
                .get("runs")
                .get(0);
        assertThat(Set.copyOf(run.propertyNames())).doesNotContain("scaling_efficiency");
    }

    @Test
    void numbersHaveTwelveDigitsInPlainNotation() {
        assertThat(JsonObject.decimal(1.0 / 3)).isEqualTo(new BigDecimal("0.333333333333"));
        assertThat(String.valueOf(JsonObject.decimal(0x1p77))).isEqualTo("151115727452000000000000");
        assertThat(String.valueOf(JsonObject.decimal(-0.0))).isEqualTo("0");
        assertThat(JsonObject.decimal(Double.NaN)).isNull();
        // Double.toString gives 0.0020 on JDK 17 and 0.002 since JDK 19.
        assertThat(JsonObject.decimal(2e-3).toPlainString()).isEqualTo("0.002");
    }

    @Test
    void hostileNamesStayStrings() {
        String name = "a\"},{\"b\u2028\u0000</script>";
        JsonNode run = MAPPER.readTree(ResultsJson.write(SampleRuns.single(name)))
                .get("runs")
                .get(0);
        assertThat(run.get("scenario").asString()).isEqualTo(name);
    }

    private static String withoutWallTime(String json) {
        return json.replaceAll("\"wall_seconds\" : [0-9.]+", "");
    }
}
