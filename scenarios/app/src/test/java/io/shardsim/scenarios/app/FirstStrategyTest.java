package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the strategy of {@code docs/first-strategy.md} compiles, runs from a jar of its own, and does what the page says. */
class FirstStrategyTest {
    private static final Path CLASS = Path.of("app/src/test/java/example/AllReduceOnce.java");
    private static final Path DATA = Path.of("app/src/test/resources/example/all-reduce-once.yaml");
    private static final Path PAGE = Path.of("../docs/first-strategy.md");

    @Test
    void thePageShowsTheStrategyThatRuns() throws Exception {
        assertThat(Files.readString(PAGE)).contains(Files.readString(CLASS), Files.readString(DATA));
    }

    @Test
    @Tag("slow")
    void itWaitsForWhatDdpOverlaps(@TempDir Path place) throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path classes = jars.compile(Map.of("AllReduceOnce", Files.readString(CLASS)));
        Path jar = jars.jar(
                "mine.jar",
                Map.of(
                        "example/AllReduceOnce.class",
                        Files.readAllBytes(classes.resolve("example/AllReduceOnce.class")),
                        "strategies/all-reduce-once.yaml",
                        Files.readAllBytes(DATA)));
        String page = Files.readString(PAGE);
        int start = page.indexOf("scenario: first-strategy");
        Path scenario = place.resolve("mine.yaml");
        Files.writeString(scenario, page.substring(start, page.indexOf("```", start)), StandardCharsets.UTF_8);
        FurtherJar.Outcome outcome =
                jars.shardsim(jar, "run", scenario.toString(), "--out", place.toString(), "--json");
        assertThat(outcome.status()).as(outcome.err()).isZero();
        JsonNode document = new JsonMapper().readTree(outcome.out());
        JsonNode runs = (document.isArray() ? document.get(0) : document).get("runs");
        double ddp = exposed(runs.get(0));
        double once = exposed(runs.get(1));
        assertThat(runs.get(1).get("strategy").asString()).isEqualTo("all-reduce-once");
        assertThat(once).isGreaterThan(2 * ddp);
        assertThat(page).contains("%.0f ms".formatted(1000 * ddp), "%.0f ms".formatted(1000 * once));
    }

    private static double exposed(JsonNode run) {
        return run.get("breakdown").get("exposed_seconds").get("reduce").asDouble();
    }
}
