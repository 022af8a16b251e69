package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.explaining.PricedDifferences;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.run.RunLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simulations and executed events of {@code run}, as listed in docs/speed.md. These counts have no noise, so any change is visible. Update with
 * {@code -Dgolden.update}; {@code -DexcludedGroups=} counts all files of the library.
 */
@Timeout(300)
class EventCountsTest {
    private static final Path TABLE = Path.of("..", "docs", "speed.md");

    /** Counts runs, and their executed events. */
    private static final class Counted extends ForwardingRunner {
        private final AtomicInteger runs = new AtomicInteger();
        private final AtomicLong events = new AtomicLong();

        Counted(ScenarioRunner runner) {
            super(runner);
        }

        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            return run(point, RunLimits.NONE);
        }

        @Override
        public RunResult run(ScenarioPoint point, RunLimits limits) throws InterruptedException {
            try {
                RunResult result = limits == RunLimits.NONE ? runner().run(point) : runner().run(point, limits);
                if (result.fits()) {
                    add(result.effort().executedEvents());
                }
                return result;
            } catch (RunLimitException givenUp) {
                add(givenUp.executedEvents());
                throw givenUp;
            }
        }

        private void add(long executed) {
            runs.incrementAndGet();
            events.addAndGet(executed);
        }

        String text() {
            return String.format(Locale.ROOT, "%d | %,d", runs.get(), events.get());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpt2-30b-on-p4d",
                "determinism",
                "all-reduce-1gib",
                "fsdp-sharding",
                "gpt2-10b-512",
                "lesson-1-sharding",
                "lesson-3-slow-nic",
                "mics-30b-512",
                "zero-stages"
            })
    void executesWhatIsWrittenDown(String name) throws Exception {
        check(name);
    }

    static Stream<String> library() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("library"))) {
            return files.map(file -> file.getFileName().toString().replace(".yaml", "")).sorted().toList().stream();
        }
    }

    @Tag("slow")
    @Tag("once")
    @ParameterizedTest
    @MethodSource("library")
    void executesOfTheLibraryWhatIsWrittenDown(String name) throws Exception {
        check(name);
    }

    private static void check(String name) throws Exception {
        Path file = Path.of("library", name + ".yaml");
        Scenario scenario =
                ScenarioReader.read((Files.exists(file) ? file : Path.of("..", ".ci", name + ".yaml")).toString());
        PointRuns points = new PointRuns(List.of(scenario), 2);
        AdvisedRuns runs = new AdvisedRuns(List.of(scenario), points);
        String row;
        try (PointSimulation simulation = new PointSimulation(2, true)) {
            Counted counted = new Counted(simulation);
            points.runAll(counted, (done, what) -> {});
            row = "| " + name + " | " + counted.text();
            List<RunResult> results = points.results(scenario);
            long eventsMax = Trials.eventsMax(results);
            PricedDifferences prices = new PricedDifferences(
                    options -> new ForwardingRunner(new PointSimulation(options)) {
                        @Override
                        public RunResult run(ScenarioPoint point) throws InterruptedException {
                            RunResult result = runner().run(point);
                            counted.add(result.effort().executedEvents());
                            return result;
                        }
                    },
                    2);
            long left = eventsMax - prices.price(scenario, results, eventsMax, (done, what) -> {});
            runs.tryOtherSettings(counted, 2, same -> Math.max(Trials.eventsMin(results), left), (done, what) -> {});
            row += " | " + counted.text() + " |";
        }
        String table = Files.readString(TABLE);
        Matcher old = Pattern.compile("(?m)^\\| " + name + " \\|.*$").matcher(table);
        assertThat(old.find()).as("a row for %s", name).isTrue();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(TABLE, table.substring(0, old.start()) + row + table.substring(old.end()));
        }
        assertThat(row).isEqualTo(System.getProperty("golden.update") != null ? row : old.group());
    }
}
