package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The strategies of {@code docs/first-strategy.md} compile, run from a separate jar, and do what the page says. */
class FirstStrategyTest {
    private static final Path CLASSES = Path.of("app/src/test/java/example");
    private static final Path FILES = Path.of("app/src/test/resources/example");
    private static final Path PAGE = Path.of("../docs/first-strategy.md");

    @ParameterizedTest
    @CsvSource({"AllReduceOnce, all-reduce-once", "EightBitGathers, eight-bit-gathers"})
    void thePageShowsTheStrategyThatRuns(String type, String kind) throws Exception {
        assertThat(Files.readString(PAGE))
                .contains(
                        Files.readString(CLASSES.resolve(type + ".java")),
                        Files.readString(FILES.resolve(kind + ".yaml")));
    }

    @Test
    @Tag("slow")
    void itWaitsForWhatDdpOverlaps(@TempDir Path place) throws Exception {
        JsonNode runs = run(place, "AllReduceOnce", "all-reduce-once", "[ddp, all-reduce-once]");

        double ddp = exposed(runs.get(0), "reduce");
        double once = exposed(runs.get(1), "reduce");
        assertThat(once).isGreaterThan(2 * ddp);
        assertThat(Files.readString(PAGE)).contains("%.0f ms".formatted(1000 * ddp), "%.0f ms".formatted(1000 * once));
    }

    @Test
    @Tag("slow")
    void templateLeavesOnlyTheDeparture(@TempDir Path place) throws Exception {
        JsonNode runs = run(place, "EightBitGathers", "eight-bit-gathers", "[zero3, eight-bit-gathers]");

        double zero3 = exposed(runs.get(0), "gather");
        double eightBit = exposed(runs.get(1), "gather");
        assertThat(eightBit).isLessThan(zero3);
        assertThat(Files.readString(PAGE))
                .contains("%.0f ms".formatted(1000 * zero3), "%.0f ms".formatted(1000 * eightBit));
    }

    /** Runs the page's scenario with two strategies, the second from a jar. */
    private static JsonNode run(Path place, String type, String kind, String strategies) throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path classes = jars.compile(Map.of(type, Files.readString(CLASSES.resolve(type + ".java"))));
        Map<String, byte[]> entries = new HashMap<>();
        entries.put("strategies/" + kind + ".yaml", Files.readAllBytes(FILES.resolve(kind + ".yaml")));
        try (Stream<Path> compiled = Files.list(classes.resolve("example"))) {
            for (Path each : compiled.toList()) {
                entries.put("example/" + each.getFileName(), Files.readAllBytes(each));
            }
        }
        Path jar = jars.jar("mine.jar", entries);
        String page = Files.readString(PAGE);
        int start = page.indexOf("scenario: first-strategy");
        Path scenario = place.resolve("mine.yaml");
        Files.writeString(
                scenario,
                page.substring(start, page.indexOf("```", start))
                        .replaceFirst("strategy.kind: .*", "strategy.kind: " + strategies));
        FurtherJar.Outcome outcome =
                jars.shardsim(jar, "run", scenario.toString(), "--out", place.toString(), "--json");
        assertThat(outcome.status()).as(outcome.err()).isZero();
        JsonNode document = new JsonMapper().readTree(outcome.out());
        JsonNode runs = (document.isArray() ? document.get(0) : document).get("runs");
        assertThat(runs.get(1).get("strategy").asString()).isEqualTo(kind);
        return runs;
    }

    private static double exposed(JsonNode run, String stream) {
        return run.get("breakdown").get("exposed_seconds").get(stream).asDouble();
    }
}
