package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two concurrent runs that write into one folder: its files are complete and from one run. {@code -Dtwo.rounds=N} tries more often. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
@Tag("slow")
class TwoRunsInOneFolderTest {
    private static final String SWEEP = """
            scenario: %s
            model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: %d, global_batch: 8, micro_batch: 1}
            strategy: {kind: zero3}
            sweep: {training.global_batch: [8, 16]}
            """;

    /** Maximum delay of one run's start after the other's: about the duration of a run. */
    private static final int MILLIS_APART = 300;

    /** Line of a page that contains its title. */
    private static final int TITLE = 8;

    @TempDir
    Path folder;

    @Test
    void filesAreOfOneRun() throws Exception {
        Files.writeString(folder.resolve("short.yaml"), SWEEP.formatted("short", 256));
        Files.writeString(folder.resolve("long.yaml"), SWEEP.formatted("long", 512));
        Map<String, String> ofShort = alone("short");
        Map<String, String> ofLong = alone("long");
        SplittableRandom random = new SplittableRandom(Long.getLong("two.seed", 1));
        int rounds = Integer.getInteger("two.rounds", 1);
        int shorts = 0;
        for (int round = 0; round < rounds; round++) {
            String report = "report-" + round;
            boolean shortFirst = random.nextBoolean();
            Process first = run(shortFirst ? "short" : "long", report);
            first.waitFor(random.nextInt(MILLIS_APART), TimeUnit.MILLISECONDS);
            Process second = run(shortFirst ? "long" : "short", report);
            assertEnds(first);
            assertEnds(second);
            Map<String, String> files = files(report);
            assertThat(files).as("round %d", round).isIn(ofShort, ofLong);
            shorts += files.equals(ofShort) ? 1 : 0;
        }
        System.out.println(rounds + " rounds, " + shorts + " of which the shorter run had the last word");
    }

    private Process run(String scenario, String report) throws IOException {
        return Program.start(folder, "run", scenario + ".yaml", "--threads", "1", "-o", report);
    }

    private static void assertEnds(Process run) throws Exception {
        String said = new String(run.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(said).isZero();
    }

    private Map<String, String> alone(String scenario) throws Exception {
        assertEnds(run(scenario, scenario));
        Map<String, String> files = files(scenario);
        assertThat(files).containsKeys("report.html", "results.csv", "results.json");
        assertThat(files.get("report.html")).contains("<title>" + scenario);
        return files;
    }

    /** Returns the files by name, without what changes from run to run; only the lock is hidden. */
    private Map<String, String> files(String report) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder.resolve(report))) {
            for (Path file : all.toList()) {
                String name = file.getFileName().toString();
                files.put(name, told(name, Files.readString(file)));
            }
        }
        return files;
    }

    /**
     * Returns the document without wall times; for the table, each row's scenario; for the page, whose data are compressed, its title if it is
     * complete.
     */
    private static String told(String name, String text) {
        return switch (name) {
            case "results.csv" ->
                CsvReader.builder().ofNamedCsvRecord(text).stream()
                        .map(row -> row.getField("scenario"))
                        .toList()
                        .toString();
            case "report.html" ->
                text.strip().endsWith("</html>") ? text.lines().toList().get(TITLE) : "half a page";
            default -> text.replaceAll("\"wall_seconds\" ?: ?[0-9.eE+-]+", "\"wall_seconds\": -");
        };
    }
}
