package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StepParts;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The differences of two runs sum to the gap between them, and causes equal the results of re-runs. */
class ComparerTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000, gated_ffn: true, ffn: 5504}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 1024, global_batch: 64, precision: bf16}
            strategy: {kind: zero3}
            """;

    @TempDir
    Path folder;

    private static Comparer.Side side(String text) throws InputException {
        return Comparer.scenario(RunName.of("small.yaml"), ScenarioReader.readText("small.yaml", text));
    }

    private static Comparison compare(Comparer.Side a, Comparer.Side b, int threads) throws InputException {
        return new Comparer(PointSimulation::new, threads).compare(a, b, (share, what) -> {});
    }

    private static Comparison compare(String a, String b) throws InputException {
        return compare(side(a), side(b), 2);
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "kind: zero3, 'kind: mics, shard_group: 8'",
        "nodes: 2, nodes: 4",
        "'nodes: 2', 'nodes: 2, nic: 50 Gbit/s'",
        "precision: bf16, 'precision: bf16, attention: flash, micro_batch: 1'",
        "global_batch: 64, global_batch: 128",
        "sequence_length: 1024, sequence_length: 2048",
        "'p4d.24xlarge, nodes: 2', 'p5.48xlarge, nodes: 4'",
        "kind: zero3, 'kind: megatron, tensor_parallel: 4'"
    })
    void partsAndCausesSumToTheGap(String from, String to) throws Exception {
        Comparison comparison = compare(SMALL, SMALL.replace(from, to));
        long gap = comparison.bPs() - comparison.aPs();
        assertThat(gap).isNotZero();
        assertThat(StepParts.sum(Comparison.difference(comparison.aParts(), comparison.bParts())))
                .isEqualTo(gap);
        assertThat(comparison.contributions()).isNotEmpty();
        assertThat(comparison.contributions().stream()
                        .mapToLong(Comparison.Contribution::ps)
                        .sum())
                .isEqualTo(gap);
    }

    @Test
    @Tag("slow")
    void aDifferenceOfOneThingHasOneCause() throws Exception {
        Comparison comparison = compare(SMALL, SMALL.replace("bf16}", "bf16, attention: standard, micro_batch: 4}"));
        Comparison slower = compare(
                SMALL.replace("bf16}", "bf16, micro_batch: 4}"), SMALL.replace("nodes: 2", "nodes: 2, nic: 50 Gbit/s"));
        assertThat(comparison.contributions())
                .extracting(Comparison.Contribution::words)
                .contains("kernels");
        assertThat(slower.contributions())
                .filteredOn(one -> one.words().equals("network"))
                .singleElement()
                .satisfies(network -> assertThat(network.ps()).isPositive());
    }

    /** The path starts at the first run: writing out its kernels and its micro-batch changes nothing. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"kind: zero3", "kind: mics, shard_group: 8", "kind: fsdp2", "kind: megatron-core"})
    void writingWhatRunsChangesNothing(String strategy) throws Exception {
        String text = SMALL.replace("kind: zero3", strategy);
        Comparison comparison = compare(text, text);
        assertThat(comparison.isSame()).isTrue();
        Map<String, String> settings = new LinkedHashMap<>();
        comparison.a().settings().forEach((key, setting) -> settings.put(key, setting.value()));
        String written = text.replace(
                "bf16}",
                "bf16, kernels: " + settings.get("training.kernels") + ", micro_batch: "
                        + settings.get("training.micro_batch") + "}");
        assertThat(compare(text, written).isSame()).isTrue();
        assertThat(compare(text, written).contributions()).isEmpty();
    }

    @Test
    @Tag("slow")
    void sameBytesOnAnyNumberOfThreads() throws Exception {
        Comparer.Side other = side(SMALL.replace("kind: zero3", "kind: mics, shard_group: 8")
                .replace("nodes: 2", "nodes: 4")
                .replace("bf16", "bf16, attention: flash"));
        String one = CompareJson.write(compare(side(SMALL), other, 1));
        assertThat(CompareJson.write(compare(side(SMALL), other, 3))).isEqualTo(one);
        JsonNode document = new JsonMapper().readTree(one);
        BigDecimal sum = BigDecimal.ZERO;
        for (JsonNode part : document.get("parts")) {
            sum = sum.add(new BigDecimal(part.get("change_seconds").asString()));
        }
        assertThat(sum).isEqualByComparingTo(document.get("change_seconds").asString());
        assertThat(document.get("causes")).hasSize(3);
        assertThat(document.get("further_runs").intValue()).isEqualTo(2);
    }

    private Path results(String text) throws Exception {
        Scenario scenario = ScenarioReader.readText("small.yaml", text);
        Path file = folder.resolve("results.json");
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            Files.writeString(
                    file,
                    ResultsJson.write(ScenarioResult.of(
                            "small", List.of(simulation.run(scenario.points().get(0))))));
        }
        return file;
    }

    @Test
    @Tag("slow")
    void resultsCompareLikeTheRunsThatWroteThem() throws Exception {
        Path file = results(SMALL);
        Comparer.Side mics = side(SMALL.replace("kind: zero3", "kind: mics, shard_group: 8"));
        Comparison saved = compare(Comparer.results(RunName.of(folder.toString())), mics, 1);
        Comparison run = compare(side(SMALL), mics, 1);
        assertThat(saved.aParts()).isEqualTo(run.aParts());
        assertThat(saved.bParts()).isEqualTo(run.bParts());
        assertThat(saved.differences()).isEqualTo(run.differences());
        assertThat(saved.contributions()).isEmpty();
        assertThat(CompareText.write(saved, 80)).contains("Results files cannot be run again");
        Files.writeString(
                file, Files.readString(file).replaceFirst("\"idle_seconds\" : [0-9.]+", "\"idle_seconds\" : 9"));
        assertThatThrownBy(() -> Comparer.results(RunName.of(file.toString())))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("does not add up");
    }

    @Test
    void otherFilesAreRefusedInALine() throws Exception {
        Path list = Files.writeString(folder.resolve("a.json"), "[1]");
        Path broken = Files.writeString(folder.resolve("b.json"), "{\"runs\": [");
        assertThatThrownBy(() -> Comparer.results(RunName.of(list.toString()))).hasMessageContaining("has no runs");
        assertThatThrownBy(() -> Comparer.results(RunName.of(broken.toString())))
                .hasMessageContaining("is not JSON");
        assertThatThrownBy(() -> Comparer.results(RunName.of(folder.toString())))
                .hasMessageContaining("holds no results.json");
        assertThatThrownBy(() -> Comparer.results(RunName.of(folder + "/c.json")))
                .hasMessageContaining("no such file");
    }

    @Test
    void whatDoesNotFitIsSaidWithoutSeconds() throws Exception {
        String large = SMALL.replace("hidden: 2048, layers: 4", "hidden: 16384, layers: 96");
        Comparison comparison = compare(SMALL, large);
        assertThat(comparison.fits()).isFalse();
        assertThat(CompareText.write(comparison, 80)).contains("Nothing to compare: B does not fit in memory.");
        assertThat(CompareJson.write(comparison)).contains("out_of_memory").doesNotContain("change_seconds");
    }

    @Test
    void textFitsIntoEightyColumnsAndAScreen() throws Exception {
        String text = CompareText.write(
                compare(
                        SMALL,
                        SMALL.replace("kind: zero3", "kind: mics, shard_group: 8")
                                .replace("nodes: 2", "nodes: 4, nic: 50 Gbit/s")
                                .replace("bf16", "bf16, attention: flash, activation_checkpointing: none")),
                80);
        assertThat(text.lines())
                .hasSizeLessThan(32)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(text).contains("What differs", "Where the time goes", "Why: ", "sharding", "network", "memory");
    }

    /** The displayed parts sum to the displayed step. */
    @Test
    void roundedFiguresSum() {
        Rounded rounded = Rounded.of(30_000_000_000_000L);
        List<Long> parts = List.of(3_333_333_333_333L, 3_333_333_333_333L, 23_333_333_333_334L);
        assertThat(rounded.quanta(parts)).containsExactly(333L, 333L, 2334L);
        assertThat(rounded.quanta(List.of(-3_333_333_333_333L, 1_000_000_000L))).containsExactly(-333L, 0L);
        assertThat(rounded.change(-333)).isEqualTo("-3.33");
        assertThat(Rounded.of(2_000_000_000L)).isEqualTo(new Rounded("ms", 3, 1_000_000L));
    }
}
