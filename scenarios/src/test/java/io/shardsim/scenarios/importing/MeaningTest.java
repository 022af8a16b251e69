package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a key of a public file means once it is changed. */
class MeaningTest {
    private static final Path FILES = Path.of("src/test/resources/importing/public");

    private static String changed(String file, String... pairs) throws IOException {
        String text = Files.readString(FILES.resolve(file));
        for (int i = 0; i < pairs.length; i += 2) {
            assertThat(text).contains(pairs[i]);
            text = text.replace(pairs[i], pairs[i + 1]);
        }
        return text;
    }

    private static Imported imported(String file, String... pairs) throws IOException, InputException {
        return ScenarioImport.readText(file, changed(file, pairs), Choices.NONE);
    }

    private static KeyVerdict verdict(Imported imported, String key) {
        return imported.keys().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nanotronTrainsInThePrecisionOfItsWeights() throws IOException, InputException {
        assertThat(imported("nanotron-tiny-llama.yaml", "dtype: bfloat16", "dtype: float32")
                        .text())
                .contains("precision: fp32", "attention: standard");
        assertThat(imported("nanotron-tiny-llama.yaml").text()).contains("precision: bf16", "attention: flash");
    }
}
