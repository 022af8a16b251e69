package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Machines;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code docs/scenario-file.md} agrees with the key tables, and its examples are read. With {@code -Ddocs.write} the tables between its
 * {@code <!-- ... -->} marks are written instead of compared.
 */
class ScenarioFileDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "scenario-file.md");

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("file", keys(ScenarioKeys.FILE.keys()));
        tables.put("model", keys(ModelKeys.KEYS));
        tables.put("cluster", keys(ScenarioKeys.CLUSTER.keys()));
        tables.put("gpu", keys(ScenarioKeys.GPU.keys()));
        tables.put("training", keys(ScenarioKeys.TRAINING.keys()));
        tables.put("lora", keys(ScenarioKeys.LORA.keys()));
        tables.put("strategy", keys(ScenarioKeys.STRATEGY.keys()));
        tables.put("kinds", kinds());
        tables.put("collectives", keys(ScenarioKeys.COLLECTIVES.keys()));
        tables.put("workload", keys(ScenarioKeys.WORKLOAD.keys()));
        tables.put("storage", keys(ScenarioKeys.STORAGE.keys()));
        tables.put("checkpoint", keys(ScenarioKeys.CHECKPOINT.keys()));
        tables.put("failures", keys(ScenarioKeys.FAILURES.keys()));
        tables.put("faults", keys(ScenarioKeys.FAULTS.keys()));
        tables.put("money", keys(ScenarioKeys.MONEY.keys()));
        tables.put("assert", keys(ScenarioKeys.ASSERTED.keys()));
        tables.put("names", names());
        tables.put("instances", rows(Machines.instances()));
        tables.put("gpus", rows(Machines.gpus()));
        return tables;
    }

    private static String keys(List<Key> keys) {
        StringBuilder table = new StringBuilder("| key | value | meaning |\n|---|---|---|\n");
        for (Key key : keys) {
            String value =
                    key.type() instanceof BlockType ? "a block" : key.type().expected();
            table.append("| `").append(key.name()).append(key.required() ? "` (required) | " : "` | ");
            table.append(value).append(" | ").append(key.meaning()).append(" |\n");
        }
        return table.toString();
    }

    private static String kinds() {
        StringBuilder table = new StringBuilder("| kind | what it is | source |\n|---|---|---|\n");
        for (String kind : Strategies.kinds()) {
            StrategyDescriptor descriptor = Strategies.descriptor(kind);
            assertThat(descriptor).isNotNull();
            table.append("| `").append(kind).append("` | ").append(descriptor.title());
            table.append(" | ").append(descriptor.source()).append(" |\n");
        }
        return table.toString();
    }

    private static String rows(List<List<String>> rows) {
        String table = rows.stream()
                .map(row -> "| " + String.join(" | ", row) + " |\n")
                .collect(Collectors.joining());
        int head = table.indexOf('\n') + 1;
        return table.substring(0, head) + "|---".repeat(rows.get(0).size()) + "|\n" + table.substring(head);
    }

    private static String names() {
        return "| of | names |\n|---|---|\n"
                + "| models | " + String.join(", ", Catalog.modelNames()) + " |\n"
                + "| frameworks | " + String.join(", ", Releases.names()) + " |\n"
                + "| collective algorithms | `shardsim catalog collectives` |\n";
    }

    @Test
    void itsTablesAreThoseOfTheReader() throws IOException {
        String document = Files.readString(DOCUMENT);
        String expected = document;
        for (Map.Entry<String, String> table : tables().entrySet()) {
            String begin = "<!-- " + table.getKey() + " -->\n";
            Pattern between = Pattern.compile(Pattern.quote(begin) + ".*?<!-- end -->\n", Pattern.DOTALL);
            Matcher matcher = between.matcher(expected);
            assertThat(matcher.find()).as("mark %s", begin.strip()).isTrue();
            expected = matcher.replaceFirst(Matcher.quoteReplacement(begin + table.getValue() + "<!-- end -->\n"));
        }
        if (System.getProperty("docs.write") != null) {
            Files.writeString(DOCUMENT, expected);
        } else {
            assertThat(document)
                    .as("docs/scenario-file.md; run this test with -Ddocs.write to write its tables anew")
                    .isEqualTo(expected);
        }
    }

    static Stream<String> examples() throws IOException {
        Matcher matcher = Pattern.compile("^```yaml\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(DOCUMENT));
        List<String> examples = new ArrayList<>();
        while (matcher.find()) {
            examples.add(matcher.group(1));
        }
        return examples.stream();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void itsExamplesAreRead(String example) throws InputException {
        assertThat(ScenarioReader.readText("example", example).points()).isNotEmpty();
    }
}
