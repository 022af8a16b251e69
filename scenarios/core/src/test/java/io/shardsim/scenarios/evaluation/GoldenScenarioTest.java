package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded predictions: any change of them is a change of text for review. Update with {@code -Dgolden.update}. */
@Tag("slow")
@Tag("always")
class GoldenScenarioTest {
    private static final Path GOLDEN = Path.of("core", "src", "test", "resources", "golden");

    @ParameterizedTest
    @ValueSource(
            strings = {"strategies-2-nodes", "fsdp-p5-4-nodes", "lora", "experts", "encoders", "decoders", "collectives"
            })
    void predictsWhatIsWrittenDown(String name) throws Exception {
        StringBuilder predicted = new StringBuilder();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : ScenarioReader.read(
                            GOLDEN.resolve(name + ".yaml").toString())
                    .points()) {
                predicted.append(line(point, simulation.run(point))).append('\n');
            }
        }
        Path file = GOLDEN.resolve(name + ".txt");
        if (System.getProperty("golden.update") != null) {
            Files.writeString(file, predicted);
        }
        assertThat(predicted.toString()).isEqualTo(Files.readString(file));
    }

    private static String line(ScenarioPoint point, RunResult result) {
        String measure = result.training() != null
                ? "step " + seconds(result.training().stepSeconds()) + " s, micro-batch "
                        + result.facts().model().microBatch() + ", memory "
                        + result.facts().ledger().peakBytes() + " B"
                : result.collective() != null
                        ? "takes " + seconds(result.collective().seconds()) + " s"
                        : "does not fit";
        return String.format(
                Locale.ROOT,
                "%s: %s, events %d for %d, digest %s",
                point.values(),
                measure,
                result.effort().executedEvents(),
                result.effort().simulatedEvents(),
                result.digest());
    }

    private static String seconds(double value) {
        return BigDecimal.valueOf(value).setScale(12, RoundingMode.HALF_EVEN).toPlainString();
    }
}
