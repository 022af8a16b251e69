package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that somebody broke: each is read or refused with places, in time, and no key of a file that is read is lost. */
class ImportFuzzTest {
    private static final Path FILES = Path.of("src/test/resources/importing");
    private static final int MUTANTS = 10_000;
    private static final long SEED = 20_260_824;
    private static final String[] PIECES = {
        "{", "}", "[", "]", "\"", "'", ":", ",", "\n", "\t", " ", "#", "null", "true", "-1", "0", "1e999999999",
                "99999999999999999999", "1e-5", "\"auto\"",
        "NaN", "\\", "\u0000", "\u00e9", "\ud83d\ude00", "$X", "${", "$((", "$(rm -rf /)", "`", "--", "--bf16", "=(",
                "<<E", "|", "if", "fi", "&a", "*a", "!!x",
        "\"stage\": 3", "\"zero_optimization\": {", "model_type", "__import__('os')", "x = y", "f(a=1)", "\\u12"
    };

    @Test
    @Timeout(300)
    void mutantsAreReadOrRefused() throws IOException {
        List<Path> seeds;
        try (Stream<Path> files = Files.list(FILES)) {
            seeds = files.filter(file -> Files.isRegularFile(file) && !file.endsWith("cases.yaml"))
                    .sorted()
                    .toList();
        }
        long read = IntStream.range(0, MUTANTS)
                .parallel()
                .filter(i -> survivesInTime(seeds.get(i % seeds.size()), new Random(SEED + i)))
                .count();
        assertThat(read).as("mutants that are still read").isBetween(MUTANTS / 20L, (long) MUTANTS);
    }

    private static boolean survivesInTime(Path seed, Random random) {
        String name = seed.getFileName().toString();
        String text = mutant(read(seed), random);
        long start = System.nanoTime();
        boolean survives = survives(name, text);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
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

    private static String mutant(String text, Random random) {
        StringBuilder mutant = new StringBuilder(text);
        int times = 1 + random.nextInt(4);
        for (int i = 0; i < times && !mutant.isEmpty(); i++) {
            int at = random.nextInt(mutant.length());
            int end = Math.min(mutant.length(), at + 1 + random.nextInt(12));
            switch (random.nextInt(6)) {
                case 0 -> mutant.delete(at, end);
                case 1 -> mutant.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 2 -> mutant.replace(at, end, PIECES[random.nextInt(PIECES.length)]);
                case 3 -> mutant.insert(at, mutant.substring(at, end));
                case 4 -> mutant.setLength(at);
                default -> replaceNumber(mutant, at, random);
            }
        }
        return mutant.toString();
    }

    /** The next number becomes another one, so that many mutants are still of their kind. */
    private static void replaceNumber(StringBuilder text, int from, Random random) {
        int at = from;
        while (at < text.length() && !Character.isDigit(text.charAt(at))) {
            at++;
        }
        int end = at;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        String[] numbers = {"0", "1", "2", "3", "7", "8", "64", "1000000", "5e8", "-3", "1.5"};
        text.replace(at, end, numbers[random.nextInt(numbers.length)]);
    }
}
