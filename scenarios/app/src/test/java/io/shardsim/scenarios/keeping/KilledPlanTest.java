package io.shardsim.scenarios.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A killed plan continues with {@code --resume}, has the same output as an undisturbed one, and leaves no file behind. */
@Tag("slow")
class KilledPlanTest {
    private static final String OPEN = """
            scenario: killed-plan
            model: {hidden: 1024, layers: 12, heads: 16, vocab: 32000}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 64, precision: bf16, attention: flash}
            search: {strategy.kind: [zero3, zero2, fsdp, mics], training.micro_batch: [1, 2, 4]}
            """;

    @TempDir
    Path folder;

    @Test
    void killedPlanGoesOn() throws Exception {
        Files.writeString(folder.resolve("open.yaml"), OPEN);
        assertThat(plan("whole.yaml").waitFor()).isZero();
        assertThat(folder.resolve("build")).doesNotExist();

        Process killed = plan("killed.yaml");
        while (kept() < 2 && killed.isAlive()) {
            Thread.sleep(1);
        }
        killed.destroyForcibly().waitFor();
        assertThat(kept()).as("candidates that are kept").isPositive();
        Process resumed = plan("resumed.yaml", "--resume");
        String said = new String(resumed.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(resumed.waitFor()).as(said).isZero();
        assertThat(said).containsPattern("resumed: [1-9]\\d* runs reused");
        assertThat(folder.resolve("resumed.yaml")).hasSameTextualContentAs(folder.resolve("whole.yaml"));
        assertThat(folder.resolve("build")).doesNotExist();
    }

    private Process plan(String written, String... more) throws IOException {
        String[] arguments = {"plan", "open.yaml", "--threads", "1", "--write", "scenario", "-o", written};
        return Program.start(
                folder, Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new));
    }

    private long kept() throws IOException {
        Path points = folder.resolve("build/reports/killed-plan/.points");
        if (!Files.isDirectory(points)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(points)) {
            return files.filter(file -> file.toString().endsWith(".point")).count();
        }
    }
}
