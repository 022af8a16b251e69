package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of keys against the lists of keys that the frameworks document. */
class KeyTablesTest {
    private static final Path DOCUMENTED = Path.of("frameworks/src/test/resources/corpus/documented");

    @Test
    void everyEntryHasANoteAndASourceWithADate() {
        for (Importer importer : Importers.ALL) {
            KeyTable table = KeyTable.read(importer.table());
            assertThat(table.entries())
                    .as(importer.table())
                    .hasSizeGreaterThan(40)
                    .allSatisfy(entry -> {
                        assertThat(entry.note()).isNotBlank();
                        assertThat(entry.source()).matches("(?s).*, \\d{4}-\\d{2}-\\d{2}");
                    });
        }
    }

    /** A note that points at a fault names one that explain knows. */
    @Test
    void variablesThatSlowAJobNameFaultsThatAreKnown() {
        Set<String> named = new TreeSet<>();
        for (KeyTable.Entry entry : KeyTable.read("trainer").entries()) {
            Matcher fault =
                    Pattern.compile("(?<=faults? |and )[a-z]+(-[a-z]+)+").matcher(entry.note());
            while (entry.key().startsWith("env.") && fault.find()) {
                named.add(fault.group());
            }
        }
        assertThat(KnownFault.names()).containsAll(named);
        assertThat(named).contains("no-nvlink", "tcp-over-ethernet", "no-gpudirect", "slow-host", "standard-attention");
    }

    @ParameterizedTest
    @ValueSource(strings = {"deepspeed", "huggingface", "trainer", "accelerate", "sagemaker", "megatron"})
    void everyDocumentedKeyIsClassified(String name) throws IOException {
        KeyTable table = KeyTable.read(name);
        List<String> missing = new ArrayList<>();
        List<String> documented = Files.readAllLines(DOCUMENTED.resolve(name + ".txt")).stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .toList();
        for (String key : documented) {
            if (table.entry(key) == null) {
                missing.add(key);
            }
        }
        assertThat(documented).hasSizeGreaterThan(45);
        assertThat(missing).isEmpty();
    }

    /** Each entry alone in a file, with a value that it could have: read, or refused with a place; never without a verdict. */
    @Test
    void everyKeyOfDeepSpeedAloneHasAVerdict() {
        for (KeyTable.Entry entry : KeyTable.read("deepspeed").entries()) {
            if (entry.key().startsWith("~")) {
                continue;
            }
            String path = entry.key().replace("*", "anything");
            StringBuilder json = new StringBuilder("{\"train_batch_size\": 8");
            if (!path.equals("train_batch_size")) {
                json.append(", ");
                String[] names = path.split("\\.");
                for (String each : names) {
                    json.append('"').append(each).append("\": ");
                    json.append(each.equals(names[names.length - 1]) ? "1" : "{");
                }
                json.append("}".repeat(names.length - 1));
            }
            try {
                Imported imported = ScenarioImport.readText("x.json", json + "}", Choices.NONE);
                assertThat(imported.keys()).anySatisfy(key -> {
                    assertThat(key.key()).isEqualTo(path);
                    assertThat(key.note()).isNotBlank().doesNotContain("unknown key");
                });
            } catch (InputException refused) {
                assertThat(refused.problems())
                        .allSatisfy(problem -> assertThat(problem.message()).contains(path));
            }
        }
    }
}
