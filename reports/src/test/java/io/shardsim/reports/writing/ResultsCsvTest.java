package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.shardsim.reports.KnownSetting;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ShippedFile;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultsCsvTest {
    private static final Map<String, String> COLUMNS =
            ShippedFile.read(ResultsCsv.class, "csv-columns.yaml", new MapType(FigureType.LINE, FigureType.LINE));

    /** Sentences, lists, and duplicates of other columns. */
    private static final Set<String> LEFT_OUT = Set.of(
            "point",
            "accepted",
            "tflops_convention",
            "scaling_cause",
            "scaling.baseline_gpus",
            "cost.nodes",
            "cost.as_of",
            "cost.source",
            "why",
            "next",
            "accuracy.coverage",
            "untried",
            "blast_radius",
            "critical_path",
            "critical_path.seconds",
            "notes",
            "warnings");

    @Test
    void sweepEqualsItsGoldenTable() {
        Golden.check("sweep.csv", ResultsCsv.write(SampleRuns.sweep("golden")));
    }

    @Test
    void figuresAreThoseOfTheResultDocument() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        List<NamedCsvRecord> rows = records(ResultsCsv.write(sweep));
        JsonNode runs = new JsonMapper().readTree(ResultsJson.write(sweep)).get("runs");
        assertThat(rows).hasSize(15);
        for (int i = 0; i < rows.size(); i++) {
            for (String column : List.of("step_seconds", "mfu", "samples_per_second", "status", "digest")) {
                JsonNode node = runs.get(i).get(column);
                assertThat(rows.get(i).getField(column)).isEqualTo(node.isNull() ? "" : node.asString());
            }
            assertThat(rows.get(i).getField("point.cluster.nodes"))
                    .isEqualTo(runs.get(i).get("point").get("cluster.nodes").asString());
            assertThat(rows.get(i).getField("links.nic.bytes"))
                    .isEqualTo(runs.get(i)
                            .get("links")
                            .valueStream()
                            .filter(link -> link.get("class").asString().equals("nic"))
                            .map(link -> link.get("bytes").asString())
                            .findFirst()
                            .orElse(""));
        }
    }

    /** Swept values first, then the same columns for training, bare collectives and runs that do not fit: numbers, then words. */
    @Test
    void columnsAreTheSameForEveryScenarioAndNumbersComeFirst() {
        List<String> fixed = Stream.concat(
                        COLUMNS.keySet().stream(), KnownSetting.all().stream().map(known -> "settings." + known.path()))
                .toList();
        int words = fixed.indexOf("scenario");
        for (ScenarioResult result : List.of(
                SampleRuns.sweep("s"),
                SampleRuns.single("s"),
                SampleRuns.collective("c"),
                SampleRuns.tight("t"),
                SampleRuns.instances("i"))) {
            for (NamedCsvRecord row : records(ResultsCsv.write(result))) {
                List<String> head = row.getHeader();
                int swept = head.size() - fixed.size();
                assertThat(head.subList(swept, head.size())).isEqualTo(fixed);
                assertThat(head.subList(0, swept)).allMatch(name -> name.startsWith("point."));
                fixed.subList(0, words)
                        .forEach(column -> assertThat(row.getField(column))
                                .as(column)
                                .matches(cell -> cell.isEmpty() || new BigDecimal(cell).scale() >= 0));
                assertThat(row.getFields()).allMatch(cell -> cell.length() < 60);
            }
        }
    }

    @Test
    void settingsInForceAreTold() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        JsonNode runs = new JsonMapper().readTree(ResultsJson.write(sweep)).get("runs");
        List<NamedCsvRecord> rows = records(ResultsCsv.write(sweep));
        int told = 0;
        for (int i = 0; i < rows.size(); i++) {
            for (KnownSetting known : KnownSetting.all()) {
                JsonNode value = runs.get(i).at(JsonPointer.valueOf("/settings/" + known.path() + "/value"));
                assertThat(rows.get(i).getField("settings." + known.path())).isEqualTo(value.asString(""));
                told += value.isMissingNode() ? 0 : 1;
            }
        }
        assertThat(told).isPositive();
    }

    @Test
    void thePartsOfAStepSumToIt() {
        for (NamedCsvRecord row : records(ResultsCsv.write(SampleRuns.sweep("s")))) {
            if (row.getField("status").equals("ok")) {
                BigDecimal sum = row.getHeader().stream()
                        .filter(column ->
                                column.matches("work_seconds\\..*|exposed_seconds\\..*|slowdown_seconds|idle_seconds"))
                        .map(column -> new BigDecimal(row.getField(column)))
                        .reduce(BigDecimal.ZERO, BigDecimal::add);
                assertThat(sum).isEqualByComparingTo(row.getField("step_seconds"));
            }
        }
    }

    @Test
    void everyDocumentedFieldIsAColumnOrLeftOut() {
        for (String name : ResultField.names()) {
            String prefix = name.endsWith(".*") ? name.substring(0, name.length() - 1) : name;
            boolean column = name.equals("settings.*")
                    || COLUMNS.values().stream()
                            .anyMatch(path -> path.equals(name) || (name.endsWith(".*") && path.startsWith(prefix)));
            assertThat(column).as(name).isNotEqualTo(LEFT_OUT.contains(name));
        }
    }

    @Test
    void formulasAreDefused() {
        NamedCsvRecord row = records(ResultsCsv.write(SampleRuns.single("=HYPERLINK(\"x\",\"a,b\")")))
                .get(0);
        assertThat(row.getField("scenario")).isEqualTo("'=HYPERLINK(\"x\",\"a,b\")");
    }

    private static List<NamedCsvRecord> records(String csv) {
        return CsvReader.builder().ofNamedCsvRecord(csv).stream().toList();
    }
}
