package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * A sweep that is killed at random moments and continued with {@code --resume}: no file is ever partial, no finished point is lost, and the result is
 * that of an undisturbed sweep. {@code -Dkill.rounds=N} kills more of them, {@code -Dkill.seed=N} at other moments.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
@Tag("slow")
class KilledSweepTest {
    private static final String SWEEP = """
            scenario: killed
            model: {hidden: 1024, layers: 12, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 64, micro_batch: 1}
            strategy: {kind: zero3}
            sweep: {training.global_batch: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512]}
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("killed.yaml"), SWEEP);
    }

    @Test
    void killedSweepLosesNothing() throws Exception {
        long beganNanos = System.nanoTime();
        assertThat(run("whole").waitFor()).isZero();
        int millis = (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
        String whole = results("whole");
        SplittableRandom random = new SplittableRandom(Long.getLong("kill.seed", 1));
        int halfway = 0;
        int rounds = Integer.getInteger("kill.rounds", 1);
        for (int round = 0; round < rounds; round++) {
            String report = "report-" + round;
            int kept = 0;
            for (int kills = random.nextInt(1, 3); kills > 0; kills--) {
                Process killed = run(report, "--resume");
                // At any time, or while points are written.
                int done = random.nextInt(-6, 16);
                while (done > kept(report) && killed.isAlive()) {
                    Thread.sleep(1);
                }
                killed.waitFor(random.nextInt(done > 0 ? 100 : millis), TimeUnit.MILLISECONDS);
                killed.destroyForcibly().waitFor();
                assertWhole(report);
                // Once the report exists, it has all points.
                int still = hasResults(report) ? Integer.MAX_VALUE : kept(report);
                assertThat(still).as("round %d: points that are kept", round).isGreaterThanOrEqualTo(kept);
                kept = hasResults(report) ? 0 : still;
            }
            halfway += kept > 0 ? 1 : 0;
            Process last = run(report, "--resume");
            String said = new String(last.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(last.waitFor()).as(said).isZero();
            assertThat(resumed(said)).as("round %d: %s", round, said).isGreaterThanOrEqualTo(kept);
            assertThat(results(report)).as("round %d", round).isEqualTo(whole);
        }
        System.out.println(rounds + " rounds, " + halfway + " of which were killed with some points done");
    }

    private Process run(String report, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "killed.yaml", "--threads", "1", "-o", report));
        arguments.addAll(List.of(more));
        return Program.start(folder, arguments.toArray(String[]::new));
    }

    /** Each file of a report is complete or absent. */
    private void assertWhole(String report) throws IOException {
        Path results = folder.resolve(report).resolve("results.json");
        if (Files.exists(results)) {
            assertThat(JsonMapper.shared()
                            .readTree(Files.readString(results))
                            .get("runs")
                            .size())
                    .isEqualTo(16);
        }
        Path page = folder.resolve(report).resolve("report.html");
        if (Files.exists(page)) {
            assertThat(Files.readString(page).strip()).endsWith("</html>");
        }
    }

    private boolean hasResults(String report) {
        return Files.exists(folder.resolve(report).resolve("results.json"));
    }

    private int kept(String report) throws IOException {
        Path points = folder.resolve(report).resolve(".points");
        if (!Files.isDirectory(points)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(points)) {
            return (int)
                    files.filter(file -> file.toString().endsWith(".point")).count();
        }
    }

    private static int resumed(String said) {
        Matcher count = Pattern.compile("resumed: (\\d+) runs").matcher(said);
        return count.find() ? Integer.parseInt(count.group(1)) : 0;
    }

    /** Everything but the wall time. */
    private String results(String report) throws IOException {
        return Files.readString(folder.resolve(report).resolve("results.json"))
                .replaceAll("\"wall_seconds\" ?: ?[^,\n]+", "");
    }
}
