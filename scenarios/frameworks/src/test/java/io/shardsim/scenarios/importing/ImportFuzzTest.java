package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.shardsim.scenarios.fuzz.Damage;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files that somebody broke: each is read or refused with places, in time, and no key of a file that is read is lost. */
@Tag("slow")
class ImportFuzzTest {
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    private static final Path FILES = Path.of("frameworks/src/test/resources/corpus");
    private static final int MUTANTS = Integer.getInteger("import.mutants", 3_000);
    private static final long SEED = 20_260_824;
    /** What configurations are made of, and other texts are not. */
    private static final String[] PIECES = {
        "1e999999999",
        "$(rm -rf /)",
        "--bf16",
        "if",
        "fi",
        "\"stage\": 3",
        "\"zero_optimization\": {",
        "model_type",
        "x = y",
        "f(a=1)"
    };

    @Test
    void mutantsAreReadOrRefused() throws IOException {
        List<Path> seeds;
        try (Stream<Path> files = Files.list(FILES)) {
            seeds = files.filter(file -> Files.isRegularFile(file) && !file.endsWith("cases.yaml"))
                    .sorted()
                    .toList();
        }
        long read = IntStream.range(0, MUTANTS)
                .parallel()
                .filter(i -> survivesInTime(seeds.get(i % seeds.size()), new SplittableRandom(SEED + i)))
                .count();
        assertThat(read).as("mutants that are still read").isBetween(MUTANTS / 20L, (long) MUTANTS);
    }

    private static boolean survivesInTime(Path seed, SplittableRandom random) {
        String name = seed.getFileName().toString();
        String text = new Damage(random, PIECES).text(read(seed));
        long start = CPU.getCurrentThreadCpuTime();
        boolean survives = survives(name, text);
        assertThat(Duration.ofNanos(CPU.getCurrentThreadCpuTime() - start))
                .as(name + "\n" + text)
                .isLessThan(Duration.ofSeconds(20));
        return survives;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static boolean survives(String name, String text) {
        try {
            Imported imported = ScenarioImport.readText(name, text, Choices.NONE);
            keepsEveryKey(name, text, imported);
            ScenarioReader.readText("scenario", ImportReport.yaml(imported, 80));
            assertThat(ImportReport.json(imported)).contains("\"keys\"");
            return true;
        } catch (InputException refused) {
            assertThat(refused.problems()).isNotEmpty();
            for (Problem problem : refused.problems()) {
                assertThat(problem.file()).isIn(name, "scenario");
                assertThat(problem.message())
                        .as(name + "\n" + text)
                        .isNotBlank()
                        .doesNotContain("\n");
            }
            assertThat(refused.problems())
                    .as("the scenario itself, of\n" + text)
                    .noneMatch(each -> each.file().equals("scenario"));
            return false;
        } catch (RuntimeException crash) {
            return fail(name + " crashed with " + crash + "\n" + text, crash);
        }
    }

    /** Counted without the importers: as many leaves as verdicts. */
    private static void keepsEveryKey(String name, String text, Imported imported) {
        ForeignReader.Content content = ForeignReader.read(name, text, new Problems(name));
        assertThat(content).isNotNull();
        assertThat(imported.keys()).as(text).hasSize(leaves(content.root()));
        assertThat(imported.keys()).allSatisfy(key -> assertThat(key.note()).isNotBlank());
    }

    private static int leaves(YamlNode node) {
        if (node instanceof Mapping block && !block.entries().isEmpty()) {
            return block.entries().stream()
                    .mapToInt(entry -> leaves(entry.value()))
                    .sum();
        }
        boolean compound = node instanceof Sequence list
                && list.items().stream().anyMatch(item -> item instanceof Mapping || item instanceof Sequence);
        return compound
                ? ((Sequence) node)
                        .items().stream().mapToInt(ImportFuzzTest::leaves).sum()
                : 1;
    }
}
