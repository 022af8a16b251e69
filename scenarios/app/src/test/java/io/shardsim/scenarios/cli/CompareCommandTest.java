package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code compare} as a stranger tries it. */
class CompareCommandTest {
    private static final String SMALL = """
            scenario: small
            model: {hidden: 2048, layers: 4, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 1024, global_batch: 64}
            strategy: {kind: zero3}
            """;

    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private String file(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void twoScenariosAreCompared() throws Exception {
        String a = file("a.yaml", SMALL);
        String b = file("b.yaml", SMALL.replace("zero3", "fsdp"));
        assertThat(shell.shardsim("compare", a, b)).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("A: ", "B: ", "strategy.kind", "Why: ");
        assertThat(shell.shardsim("compare", a, a, "--json")).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"same\" : true");
    }

    @Test
    void profileOfARankIsComparedWithItsScenario() throws Exception {
        String scenario = file("a.yaml", SMALL);
        Path out = folder.resolve("out");
        assertThat(shell.shardsim("run", scenario, "--trace", "--out", out.toString()))
                .isEqualTo(ExitStatus.DONE);
        String profile;
        try (Stream<Path> files = Files.walk(out.resolve("trace"))) {
            profile = files.filter(each -> each.endsWith("rank0.json"))
                    .findFirst()
                    .orElseThrow()
                    .toString();
        }
        assertThat(shell.shardsim("compare", profile, scenario)).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .contains("Trace: ", "exposed all-gather", "idle")
                .doesNotContain("Largest difference");
        Shell json = new Shell(Main.services());
        assertThat(json.shardsim("compare", profile, scenario, "--json", "--set", "strategy.kind=fsdp"))
                .isEqualTo(ExitStatus.DONE);
        JsonNode document = new JsonMapper().readTree(json.out());
        for (String side : List.of("trace_seconds", "simulated_seconds", "difference_seconds")) {
            double sum = 0;
            for (JsonNode part : document.get("parts")) {
                sum += part.get(side).asDouble();
            }
            assertThat(document.get("step").get(side).asDouble()).as(side).isCloseTo(sum, within(1e-12));
        }
        assertThat(document.get("step").get("difference_seconds").asDouble()).isNotZero();

        Path page = folder.resolve("page");
        assertThat(shell.shardsim(
                        "compare", profile, scenario, "--set", "strategy.kind=fsdp", "--out", page.toString()))
                .isEqualTo(ExitStatus.DONE);
        assertThat(Files.readString(page.resolve("report.html")))
                .contains("data-figure=\"timelines\"", "A is the trace, B is simulated.", " in A than in B.</p>");
        assertThat(shell.shardsim("compare", out.resolve("trace.json").toString(), scenario))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("has no GPU kernels");
        assertThat(shell.shardsim("compare", profile, file("large.yaml", SMALL.replace("2048", "65536"))))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("does not fit in memory");
    }

    /** What a profile calls computing, two scenarios split further. */
    @Test
    void profileWithASettingChangedDiffersAsTheTwoScenariosDo() throws Exception {
        String without =
                file("b.yaml", SMALL.replace("global_batch: 64", "global_batch: 64, activation_checkpointing: none"));
        String scenario =
                file("a.yaml", SMALL.replace("global_batch: 64", "global_batch: 64, activation_checkpointing: full"));
        Path out = folder.resolve("out");
        assertThat(shell.shardsim("run", without, "--trace", "--out", out.toString()))
                .isEqualTo(ExitStatus.DONE);
        String profile;
        try (Stream<Path> files = Files.walk(out.resolve("trace"))) {
            profile = files.filter(each -> each.endsWith("rank0.json"))
                    .findFirst()
                    .orElseThrow()
                    .toString();
        }
        Shell json = new Shell(Main.services());
        assertThat(json.shardsim("compare", profile, scenario, "--json")).isEqualTo(ExitStatus.DONE);
        JsonNode ofProfile = JsonMapper.shared().readTree(json.out());
        Shell both = new Shell(Main.services());
        assertThat(both.shardsim("compare", scenario, without, "--json")).isEqualTo(ExitStatus.DONE);
        JsonNode ofScenarios = JsonMapper.shared().readTree(both.out());
        assertThat(ofProfile.get("step").get("difference_seconds").asDouble())
                .isNotZero()
                .isCloseTo(ofScenarios.get("change_seconds").asDouble(), within(2e-9));
        double computing = 0;
        for (JsonNode part : ofScenarios.get("parts")) {
            if (!part.get("part").asString("").startsWith("waiting")) {
                computing += part.get("change_seconds").asDouble();
            }
        }
        double profiled =
                ofProfile.get("parts").get(0).get("difference_seconds").asDouble();
        assertThat(ofProfile.get("parts").get(0).get("part").asString("")).isEqualTo("computing");
        assertThat(profiled).isCloseTo(computing, withinPercentage(2));
    }

    @Test
    void slowRankIsNamedByTheProfilesOfAll() throws Exception {
        String scenario = file("a.yaml", SMALL + "faults: {slow_gpu: 2}\n");
        Path out = folder.resolve("out");
        assertThat(shell.shardsim("run", scenario, "--trace", "--out", out.toString()))
                .isEqualTo(ExitStatus.DONE);
        Path ranks;
        try (Stream<Path> folders = Files.list(out.resolve("trace"))) {
            ranks = folders.findFirst().orElseThrow();
        }
        assertThat(shell.shardsim("compare", ranks.toString(), scenario)).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("16 ranks, ", ": the same rank is late. Rank 0 comes last to ");
        String some = ranks.resolve("rank1.json").toString();
        String others = ranks.resolve("rank2.json").toString();
        Shell json = new Shell(Main.services());
        assertThat(json.shardsim("compare", some, others, scenario, "--json")).isEqualTo(ExitStatus.DONE);
        JsonNode document = new JsonMapper().readTree(json.out());
        assertThat(document.get("ranks").get("profiles").asInt()).isEqualTo(2);
        assertThat(document.get("ranks").get("always_late").isNull()).isTrue();
        assertThat(document.get("layers").get("trace").get("forward_seconds")).hasSize(4);
        assertThat(document.get("layers").get("trace"))
                .isEqualTo(document.get("layers").get("simulated"));
        assertThat(shell.shardsim("compare", scenario, scenario, scenario)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("is not a profile; give two runs, or profiles of ranks and then one scenario");
    }

    /** The page has both waterfalls as tables, too, and their last rows are the gap. */
    @Test
    void theReportHasTheSumsOfTheText() throws Exception {
        String a = file("a.yaml", SMALL);
        String b = file("b.yaml", SMALL.replace("zero3", "mics").replace("1024", "1024, attention: standard"));
        Path out = folder.resolve("out");
        assertThat(shell.shardsim("compare", a, b, "--out", out.toString())).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("report: " + out.resolve("report.html"));
        String page = Files.readString(out.resolve("report.html"));
        assertThat(page).contains("data-figure=\"waterfall\"", "data-figure=\"causes\"", "strategy.kind");
        assertThat(shell.shardsim("compare", a, b, "--json")).isEqualTo(ExitStatus.DONE);
        double change = number(shell.out(), "\"change_seconds\" : (-?[0-9.]+)");
        assertThat(
                        number(
                                page,
                                "(?s)waterfall.*?together</th>.*?<td[^>]*>[0-9.]+</td>\\s*<td[^>]*>[0-9.]+</td>\\s*<td[^>]*>([-\u2212]?[0-9.]+)"))
                .isCloseTo(change, within(6e-4));
        assertThat(number(page, "(?s)data-figure=\"causes\".*?together</th>.*?<td[^>]*>([-\u2212]?[0-9.]+)"))
                .isCloseTo(change, within(6e-4));
        assertThat(shell.shardsim("compare", a, b, "--out", a)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("cannot be written; name another with --out");
    }

    private static double number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return Double.parseDouble(matcher.group(1).replace('\u2212', '-'));
    }

    @Test
    void pointsOfASweepAreNamedByNumberOrValue() throws Exception {
        String sweep = file("s.yaml", SMALL + "sweep: {strategy.kind: [zero3, fsdp]}\n");
        assertThat(shell.shardsim("compare", sweep + "#1", sweep + "#kind=fsdp"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.shardsim("compare", sweep, sweep + "#2")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("holds 2 runs; name one, such as", "#2: strategy.kind fsdp");
    }

    @Test
    void whatCannotBeComparedIsUsage() throws Exception {
        String a = file("a.yaml", SMALL);
        assertThat(shell.shardsim("compare", a)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.shardsim("compare", a, "gpt2-30b-on-p4x")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("did you mean gpt2-30b-on-p4d?");
        assertThat(shell.shardsim("compare", a, "all-reduce-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("is a bare collective");
        assertThat(shell.shardsim("compare", a, folder.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void whatDoesNotFitHasItsOwnStatus() throws Exception {
        String a = file("a.yaml", SMALL);
        String large = file("b.yaml", SMALL.replace("hidden: 2048, layers: 4", "hidden: 16384, layers: 96"));
        assertThat(shell.shardsim("compare", a, large)).isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("B does not fit in memory");
    }
}
