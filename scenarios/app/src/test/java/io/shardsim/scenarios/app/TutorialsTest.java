package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The code of {@code docs/tutorials.md} compiles, runs from a separate jar, and does what the page says. */
class TutorialsTest {
    private static final Path PAGE = Path.of("../docs/tutorials.md");
    private static final String COLLECTIVES = "../simulator/src/test/resources/collectives/";
    private static final String DOUBLING = "../simulator/src/test/java/org/example/collective/RecursiveDoubling.java";
    private static final String CLASSES = "app/src/test/java/example/";
    private static final String FILES = "app/src/test/resources/example/";

    @TempDir
    private Path place;

    @ParameterizedTest
    @ValueSource(
            strings = {
                CLASSES + "PacedLink.java",
                COLLECTIVES + "recursive.yaml",
                DOUBLING,
                COLLECTIVES + "recursive-doubling.yaml",
                FILES + "fused-gelu.yaml",
                FILES + "acme.yaml",
                CLASSES + "GpuHours.java"
            })
    void thePageShowsTheFile(String file) throws Exception {
        assertThat(Files.readString(PAGE)).contains("\n" + Files.readString(Path.of(file)) + "```\n");
    }

    @Test
    void aDeviceRunsInVirtualTime() throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path classes = jars.compile(Map.of("PacedLink", Files.readString(Path.of(CLASSES + "PacedLink.java"))));
        FurtherJar.Outcome outcome = jars.java(classes, "example.PacedLink");
        assertThat(outcome.out()).as(outcome.err()).isEqualTo("329.68 us" + System.lineSeparator());
        assertThat(Files.readString(PAGE)).contains("prints `329.68 us`");
    }

    @Test
    @Tag("slow")
    void roundsOfAFileRunAsTheClassDoes() throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path jar = jar(
                jars,
                Map.of("RecursiveDoubling", DOUBLING),
                Map.of(
                        "collectives/recursive.yaml",
                        COLLECTIVES + "recursive.yaml",
                        "collectives/recursive-doubling.yaml",
                        COLLECTIVES + "recursive-doubling.yaml"));
        JsonNode runs = run(jars, jar, "doubling");
        assertThat(runs.get(1).get("digest").asString())
                .isEqualTo(runs.get(0).get("digest").asString());
        assertThat(Files.readString(PAGE))
                .contains("They take %.0f us, the ring %.0f us."
                        .formatted(seconds(runs, 1) * 1e6, seconds(runs, 2) * 1e6));
    }

    private static double seconds(JsonNode runs, int run) {
        return runs.get(run).get("collective_seconds").asDouble();
    }

    @Test
    @Tag("slow")
    void aProfileFusesAnOperator() throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path jar = jar(jars, Map.of(), Map.of("catalog/frameworks/fused-gelu.yaml", FILES + "fused-gelu.yaml"));
        JsonNode runs = run(jars, jar, "gelu");
        assertThat(Files.readString(PAGE))
                .contains("A step takes %.2f s in place of %.2f s."
                        .formatted(
                                runs.get(1).get("step_seconds").asDouble(),
                                runs.get(0).get("step_seconds").asDouble()));
    }

    @Test
    @Tag("slow")
    void aTableImports() throws Exception {
        FurtherJar jars = new FurtherJar(place);
        Path jar = jar(jars, Map.of(), Map.of("importing/acme.yaml", FILES + "acme.yaml"));
        Path file = block("acme_version: 3");
        FurtherJar.Outcome outcome = jars.shardsim(jar, "import", file.toString(), "--instance", "p4d.24xlarge");
        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("gpt2-1.5b", "nodes: 4", "sequence_length: 1024", "global_batch: 256", "micro_batch: 4")
                .contains("activation_checkpointing: full");

        Path broken = jars.jar(
                "broken.jar",
                Map.of("importing/acme.yaml", "title: Acme\nmark: [a]\n".getBytes(StandardCharsets.UTF_8)));
        FurtherJar.Outcome refused = jars.shardsim(broken, "import", file.toString());
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
                .contains("importing/acme.yaml:1:1: table has no sources", "importing/acme.yaml:2:7: mark");
    }

    @Test
    @Tag("slow")
    void aJarBringsACommand() throws Exception {
        FurtherJar jars = new FurtherJar(place);
        String service = "META-INF/services/io.shardsim.scenarios.cli.FurtherCommand";
        Path named = Files.writeString(place.resolve("service"), "example.GpuHours\n");
        Path jar = jar(jars, Map.of("GpuHours", CLASSES + "GpuHours.java"), Map.of(service, named.toString()));
        FurtherJar.Outcome outcome =
                jars.shardsim(jar, "gpu-hours", block("scenario: gelu").toString());
        assertThat(outcome.status()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.err()).contains("fused-gelu");
        Path scenario = place.resolve("eager.yaml");
        Files.writeString(scenario, Files.readString(block("scenario: gelu")).replace(", fused-gelu", ""));
        outcome = jars.shardsim(jar, "gpu-hours", scenario.toString(), "--tokens", "3.6e9");
        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out()).matches("\\{training.kernels=eager}: \\d+ GPU hours\\R");
        assertThat(jars.shardsim(jar, "help").out()).contains("gpu-hours");

        Path unfit = jars.jar("unfit.jar", Map.of(service, "example.Nobody\n".getBytes(StandardCharsets.UTF_8)));
        FurtherJar.Outcome refused = jars.shardsim(unfit, "version");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("SHARDSIM_CLASSPATH", "example.Nobody");
    }

    private static Path jar(FurtherJar jars, Map<String, String> sources, Map<String, String> files) throws Exception {
        Map<String, byte[]> entries = new HashMap<>();
        if (!sources.isEmpty()) {
            Map<String, String> texts = new HashMap<>();
            for (Map.Entry<String, String> source : sources.entrySet()) {
                texts.put(source.getKey(), Files.readString(Path.of(source.getValue())));
            }
            Path classes = jars.compile(texts);
            try (Stream<Path> compiled = Files.walk(classes)) {
                for (Path each : compiled.filter(Files::isRegularFile).toList()) {
                    entries.put(classes.relativize(each).toString(), Files.readAllBytes(each));
                }
            }
        }
        for (Map.Entry<String, String> file : files.entrySet()) {
            entries.put(file.getKey(), Files.readAllBytes(Path.of(file.getValue())));
        }
        return jars.jar("mine.jar", entries);
    }

    /** Writes the page's block that begins with these words to a file. */
    private Path block(String begin) throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf("```yaml\n" + begin) + "```yaml\n".length();
        return Files.writeString(place.resolve("block.yaml"), page.substring(start, page.indexOf("```", start)));
    }

    private JsonNode run(FurtherJar jars, Path jar, String scenario) throws Exception {
        FurtherJar.Outcome outcome = jars.shardsim(
                jar, "run", block("scenario: " + scenario).toString(), "--out", place.toString(), "--json");
        assertThat(outcome.status()).as(outcome.err()).isZero();
        JsonNode document = new JsonMapper().readTree(outcome.out());
        return (document.isArray() ? document.get(0) : document).get("runs");
    }
}
