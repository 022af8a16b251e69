package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Damaged scenarios are read or refused with messages; nothing else happens. Seeded, so that a failure is reproducible. */
@Tag("slow")
class RobustnessTest {
    private static final int ROUNDS = Integer.getInteger("damage.rounds", 600);

    private static final List<String> SNIPPETS = List.of(
            "0",
            "-1",
            "1e400",
            "1e-400",
            "99999999999999999999",
            "null",
            "~",
            "{}",
            "[]",
            "[[",
            "}",
            "]",
            ": ",
            "\n",
            "\t",
            "- ",
            "? ",
            "&a ",
            "*a",
            "!!int ",
            "!x ",
            "<<: ",
            "|",
            ">",
            "%YAML 1.1\n---\n",
            "---\n",
            "...\n",
            "\"",
            "'",
            "#",
            "\u0000",
            "\u2028",
            "\ufeff",
            "\ud83d\ude80",
            "NaN",
            ".inf",
            "0x1F",
            "0o17",
            "1_000",
            "12:30:45",
            "2001-01-01",
            "yes",
            "no",
            "1 GiB",
            "9e18 B",
            "300 GB/s",
            "2 us",
            "mics",
            "zero3",
            "sweep: ",
            "strategy.kind: [zero3]\n",
            "nodes: 65536",
            "shard_group: 7",
            "micro_batch: 65536",
            "sequence_length: 16777216",
            "gpus_per_node: 64",
            "layers: 4096",
            "hidden: 262144",
            "vocab: 16777216",
            "global_batch: 1000000000",
            "nic: 1 B/s",
            "price: 1e30 USD/h",
            "oversubscription: 1000");

    private static List<String> library() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("library"))) {
            return files.sorted().map(RobustnessTest::read).toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void damagedScenariosAreReadOrRefusedWithMessages() throws IOException {
        SplittableRandom random = new SplittableRandom(20261121);
        List<String> library = library();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String damaged = library.get(random.nextInt(library.size()));
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                damaged = damage(damaged, random);
            }
            refused += isRefused(damaged) ? 1 : 0;
        }
        assertThat(refused).isBetween(ROUNDS / 4, ROUNDS - 1);
    }

    private static boolean isRefused(String text) {
        try {
            assertThat(ScenarioReader.readText("a.yaml", text).points()).isNotEmpty();
            return false;
        } catch (InputException refusal) {
            int lines = (int) text.lines().count() + 1;
            for (Problem problem : refusal.problems()) {
                assertThat(problem.message()).isNotBlank().doesNotContain("\n", "Exception", "io.shardsim", "java.");
                assertThat(problem.message().length()).isLessThan(1_500);
                assertThat(problem.position().line()).isBetween(1, lines + 1);
            }
            return true;
        } catch (RuntimeException | Error escaped) {
            return fail("escaped " + escaped + " from\n" + text, escaped);
        }
    }

    private static String damage(String text, SplittableRandom random) {
        int at = random.nextInt(text.length());
        int until = Math.min(text.length(), at + 1 + random.nextInt(12));
        return switch (random.nextInt(5)) {
            case 0 -> text.substring(0, at) + text.substring(until);
            case 1 -> text.substring(0, at) + SNIPPETS.get(random.nextInt(SNIPPETS.size())) + text.substring(at);
            case 2 -> text.substring(0, at) + SNIPPETS.get(random.nextInt(SNIPPETS.size())) + text.substring(until);
            case 3 -> text.substring(0, until) + text.substring(at);
            default -> replaceValue(text, random);
        };
    }

    /** Replaces the text after a colon or a comma, where values are. */
    private static String replaceValue(String text, SplittableRandom random) {
        int from = text.indexOf(": ", random.nextInt(text.length()));
        if (from < 0) {
            return text;
        }
        int end = from + 2;
        while (end < text.length() && ",}]\n".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return text.substring(0, from + 2) + SNIPPETS.get(random.nextInt(SNIPPETS.size())) + text.substring(end);
    }
}
