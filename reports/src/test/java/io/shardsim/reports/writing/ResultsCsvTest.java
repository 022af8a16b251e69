package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultsCsvTest {
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
