package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaitingTest {
    @TempDir
    private Path folder;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private Path pipe() throws IOException, InterruptedException {
        Path pipe = folder.resolve("f.yaml");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }

    @Test
    void aPipeThatNobodyWritesToIsTold() throws Exception {
        Path pipe = pipe();
        try (Waiting waiting = Waiting.on(List.of("a.yaml", pipe.toString()), Duration.ofMillis(1), told::add)) {
            assertThat(told.poll(30, TimeUnit.SECONDS))
                    .isEqualTo("still reading " + pipe + ": its writer has not closed it yet, or nothing writes to it");
        }
    }

    @Test
    @Tag("slow")
    void whatComesInTimeIsNot() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), "scenario: a");
        Waiting.on(List.of(pipe().toString()), Duration.ofMillis(200), told::add)
                .close();
        try (Waiting waiting =
                Waiting.on(List.of(file.toString(), folder.toString(), "a\0b"), Duration.ZERO, told::add)) {
            assertThat(told.poll(1, TimeUnit.SECONDS)).isNull();
        }
    }

    @Test
    void standardInputIsOne() throws Exception {
        try (Waiting waiting = Waiting.on(List.of("-"), Duration.ZERO, told::add)) {
            assertThat(told.poll(30, TimeUnit.SECONDS)).startsWith("still reading standard input: ");
        }
    }
}
