package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No curve misleads: in random sweeps, and for the README's own commands, each run scales within 105 % of one base or names the cause, and no tight
 * run is a base or the fastest while another has headroom. {@code -Dcurve.sweeps=500} runs more sweeps.
 */
@Tag("once")
@Tag("slow")
class ScalingCurveTest {
    @Test
    void randomSweepsScaleWithin105PercentOrNameTheCause() throws Exception {
        int tight = 0;
        int beyond = 0;
        int without = 0;
        int sweeps = Integer.getInteger("curve.sweeps", 20);
        for (int seed = 0, done = 0; done < sweeps && seed < 4 * sweeps; seed++) {
            Scenario scenario;
            try {
                scenario = ScenarioReader.readText("random.yaml", random(new Random(seed)));
            } catch (InputException refused) {
                continue;
            }
            done++;
            ScenarioResult result = simulated(scenario);
            checkCurve("seed " + seed, result);
            for (RunResult run : result.runs()) {
                tight += run.isTight() ? 1 : 0;
                beyond += run.scaling() != null && !run.scaling().cause().isEmpty() ? 1 : 0;
                without += run.training() != null && run.scaling() == null ? 1 : 0;
            }
        }
        assertThat(tight).as("tight runs").isPositive();
        assertThat(beyond).as("runs that scale beyond 105 %").isPositive();
        assertThat(without).as("runs without a base").isPositive();
    }

    @Test
    void theCommandsOfTheReadmeDoNotMislead() throws Exception {
        Matcher commands = Pattern.compile("\\./shardsim run ([a-z0-9./-]+)((?: --set [^\\s`]+)*)")
                .matcher(Files.readString(Path.of("..", "README.md")));
        List<String> seen = new ArrayList<>();
        while (commands.find()) {
            String file = commands.group(1).replaceAll("^(?:scenarios/library/)?([^./]+)(?:\\.yaml)?$", "$1");
            List<String> sets = Pattern.compile("--set (\\S+)")
                    .matcher(commands.group(2))
                    .results()
                    .map(set -> set.group(1))
                    .toList();
            Path library = Path.of("library", file + ".yaml");
            // A file in build is written by the command before it; here nothing writes it.
            boolean needsFile = sets.stream().anyMatch(set -> set.contains("=build/"));
            if (Files.exists(library) && !needsFile && !seen.contains(file + sets)) {
                seen.add(file + sets);
                checkCurve(
                        file + sets,
                        simulated(
                                ScenarioReader.read(OpenedFile.file(library.toString()), Overrides.of("--set", sets))));
            }
        }
        assertThat(seen).contains("gpt2-30b-on-p4d[]", "gpt2-30b-on-p4d[training.attention=flash]");
    }

    private static ScenarioResult simulated(Scenario scenario) throws InterruptedException {
        PointRuns points = new PointRuns(List.of(scenario), 2);
        try (PointSimulation simulation = new PointSimulation(2, true)) {
            points.runAll(simulation, (done, what) -> {});
        }
        assertThat(points.failures()).isEmpty();
        return ScenarioResult.of(scenario.name(), points.results(scenario));
    }

    private static void checkCurve(String what, ScenarioResult result) {
        List<RunResult> ran =
                result.runs().stream().filter(run -> run.training() != null).toList();
        boolean roomy = ran.stream().anyMatch(run -> !run.isTight());
        if (roomy) {
            assertThat(Objects.requireNonNull(result.fastest()).isTight())
                    .as(what + ", fastest")
                    .isFalse();
            assertThat(result.front()).as(what).noneMatch(RunResult::isTight);
        }
        Set<Integer> bases = ran.stream()
                .map(RunResult::scaling)
                .filter(Objects::nonNull)
                .map(ScalingEfficiency::baselineGpus)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(bases.size()).as(what + ", bases").isLessThanOrEqualTo(1);
        Map<Integer, Integer> seriesWithRoom = new TreeMap<>();
        for (List<RunResult> series : result.series().values()) {
            series.stream()
                    .filter(run -> run.training() != null && !(roomy && run.isTight()))
                    .forEach(run -> seriesWithRoom.merge(run.gpus(), 1, Integer::sum));
            checkSeries(what, series, roomy);
        }
        int most = seriesWithRoom.values().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
        for (int base : bases) {
            assertThat(seriesWithRoom.entrySet().stream()
                            .filter(each -> each.getValue() == most)
                            .findFirst()
                            .orElseThrow()
                            .getKey())
                    .as(what + ", the smallest cluster with room for most series")
                    .isEqualTo(base);
        }
        String table = SummaryTable.write(result, TextStyle.plain(400));
        result.runs().stream()
                .filter(run -> run.scaling() != null && !run.scaling().cause().isEmpty())
                .findFirst()
                .filter(run -> result.runs().size() <= 20)
                .ifPresent(run -> assertThat(table)
                        .as(what)
                        .contains("> 105 %: ", "(" + run.scaling().cause() + ")"));
    }

    private static void checkSeries(String what, List<RunResult> series, boolean roomy) {
        for (RunResult run : series) {
            ScalingEfficiency scaling = run.scaling();
            if (scaling == null) {
                continue;
            }
            RunResult base = series.stream()
                    .filter(other -> other.gpus() == scaling.baselineGpus())
                    .findFirst()
                    .orElseThrow();
            assertThat(base.isTight() && roomy).as(what + ", tight base").isFalse();
            assertThat(scaling.efficiency())
                    .as(what)
                    .isEqualTo(run.step().samplesPerSecond()
                            / run.gpus()
                            / (base.step().samplesPerSecond() / base.gpus()));
            assertThat(scaling.cause().isEmpty())
                    .as(what + ": " + scaling)
                    .isEqualTo(scaling.efficiency() <= ScalingEfficiency.NOTABLE);
            if (!scaling.cause().isEmpty()) {
                assertThat(scaling.cause())
                        .as(what)
                        .matches("micro-batch \\d+, not \\d+(, .*)?|.* \\S+, not \\S+|less GPU time in \\w.*");
            }
        }
    }

    /** Returns some strategies and micro-batches on some clusters of about the size that the model needs. */
    private static String random(Random random) {
        int hidden = 1024 << random.nextInt(3);
        String gpu = "{architecture: ampere, memory: " + (1500 + random.nextInt(5000))
                + " MiB, memory_bandwidth: 1555 GB/s, peak_half: 312 Tflop/s, peak_single: 19.5 Tflop/s, sm_count: 108, boost_clock: 1410 MHz}";
        List<String> sweep = new ArrayList<>();
        sweep.add("cluster.nodes: " + some(random, "1", "2", "4", "8"));
        sweep.add("strategy.kind: " + some(random, "zero1", "zero2", "zero3", "fsdp", "mics", "ddp"));
        if (random.nextInt(3) > 0) {
            sweep.add("training.micro_batch: " + some(random, "1", "2", "4"));
        }
        return """
                scenario: random
                model: {hidden: %d, layers: 2, heads: 16, vocab: %d}
                cluster: {gpu: %s, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: 1}
                training: {sequence_length: %d, global_batch: %d, precision: bf16, activation_checkpointing: %s}
                strategy: {kind: zero3}
                sweep: {%s}
                """.formatted(
                        hidden,
                        8000 << random.nextInt(3),
                        gpu,
                        512 << random.nextInt(3),
                        64 << random.nextInt(3),
                        random.nextBoolean() ? "full" : "none",
                        String.join(", ", sweep));
    }

    private static String some(Random random, String... values) {
        List<String> some = new ArrayList<>();
        for (String value : values) {
            if (random.nextBoolean()) {
                some.add(value);
            }
        }
        return some.isEmpty() ? "[" + values[0] + "]" : some.toString();
    }
}
