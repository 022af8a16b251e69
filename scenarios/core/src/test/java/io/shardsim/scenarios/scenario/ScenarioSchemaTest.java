package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.shardsim.reports.Surroundings;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema that ships, the key table that the reader uses, and the scenarios that ship agree. */
class ScenarioSchemaTest {
    private static final Path LIBRARY = Path.of("library");

    private static final String VALID = """
            scenario: ok
            model: gpt2-30b
            cluster: {instance: p4d.24xlarge, nodes: 32}
            training: {sequence_length: 2048, global_batch: 1536}
            strategy: {kind: mics, shard_group: 128}
            """;

    @Test
    void theShippedSchemaIsTheOneOfTheKeyTable() throws IOException {
        if (System.getProperty("docs.write") != null) {
            Files.writeString(Path.of("core/src/main/resources" + ScenarioSchema.RESOURCE), ScenarioSchema.write());
        } else {
            assertThat(shipped())
                    .as("run this test with -Ddocs.write to write it anew")
                    .isEqualTo(ScenarioSchema.write());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"6300", "6300 h", "6300 hours"})
    void hoursBetweenFailuresMayCarryTheirUnit(String hours) throws IOException, InputException {
        String text = VALID + "checkpoint: {to: s3, every: 500 steps}\nfailures: {node_mtbf: " + hours
                + ", restart: 10 min}\n";
        assertThat(errors(text)).isEmpty();
        Task.Training training = (Task.Training)
                ScenarioReader.readText("a.yaml", text).points().get(0).task();
        assertThat(Objects.requireNonNull(training.surroundings()).failures())
                .isEqualTo(new Surroundings.Failures(6300 * 3600.0, 600, 600));
    }

    private static String shipped() throws IOException {
        try (InputStream in = ScenarioSchemaTest.class.getResourceAsStream(ScenarioSchema.RESOURCE)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<Error> errors(String yaml) throws IOException {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(shipped());
        return schema.validate(yaml, InputFormat.YAML);
    }

    static Stream<Path> library() throws IOException {
        try (Stream<Path> files = Files.list(LIBRARY)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("library")
    void scenariosOfTheLibraryFollowTheSchemaAndAreRead(Path file) throws IOException, InputException {
        assertThat(errors(Files.readString(file))).isEmpty();
        Scenario scenario = ScenarioReader.read(file.toString());
        assertThat(scenario.points()).isNotEmpty();
        assertThat(file.getFileName().toString()).isEqualTo(scenario.name() + ".yaml");
    }

    @ParameterizedTest
    @MethodSource("library")
    void scenariosOfTheLibrarySayWhatToLookAtAndWhereTheirFiguresComeFrom(Path file) throws IOException {
        String comment = Files.readAllLines(file).stream()
                .takeWhile(line -> line.startsWith("#"))
                .reduce("", String::concat);
        assertThat(comment).hasSizeGreaterThan(200).containsIgnoringCase("look at");
        assertThat(comment).containsPattern("https?://|arXiv|Blog|README|issue|page|guide|at [0-9a-f]{8}");
    }

    @Test
    void theMainScenarioHasFifteenPoints() throws InputException {
        List<ScenarioPoint> points = ScenarioReader.read(
                        LIBRARY.resolve("gpt2-30b-on-p4d.yaml").toString())
                .points();
        assertThat(points).hasSize(15);
        assertThat(points).extracting(point -> point.cluster().worldSize()).containsOnly(16, 32, 64, 128, 256);
        assertThat(points.get(2).values().toString()).isEqualTo("{cluster.nodes=2, strategy.kind=mics}");
        assertThat(points.get(2).notes()).containsExactly("shard_group 128 capped to world size 16");
        Task.Training last = (Task.Training) points.get(14).task();
        assertThat(last.strategy().given()).containsEntry("shard_group", "128");
        assertThat(last.globalBatch()).isEqualTo(1536);
        assertThat(last.sequenceLength()).isEqualTo(2048);
    }

    @Test
    void aValidScenarioFollowsTheSchema() throws IOException {
        assertThat(errors(VALID)).isEmpty();
        assertThat(errors(VALID.replace("nodes: 32", "nodes: 32, nic: 1.5e2 Gbit/s, hop_latency: 2 us")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nodes: 32=nodes: 0",
                "nodes: 32=nodes: many",
                "nodes: 32=nodes: 32, nic: 100",
                "nodes: 32=nodes: 32, nic: 100 gbit",
                ", nodes: 32=",
                "model: gpt2-30b=model: {hidden: 12}",
                "model: gpt2-30b=model: {hidden: 64, layers: 1, heads: 1, vocab: 1, depth: 4}",
                "scenario: ok=colour: red",
                "scenario: ok=scenario: a/b",
                "training:=trianing:",
                "kind: mics, shard_group: 128=shard_group: 128",
                "global_batch: 1536=global_batch: 1536, precision: fp12",
                "global_batch: 1536=global_batch: 1536, activation_offload: maybe"
            })
    void whatTheReaderRefusesByTypeTheSchemaRefuses(String change) throws IOException {
        String[] fromTo = change.split("=", 2);
        String text = VALID.replace(fromTo[0], fromTo[1]);
        assertThat(text).isNotEqualTo(VALID);
        assertThat(errors(text)).isNotEmpty();
        assertThat(ScenarioErrorsTest.problems(text)).isNotEmpty();
    }
}
